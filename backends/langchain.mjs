// langchain: a tool that runs a model's shell commands in boxes of sbx
//
//   import { createAgent } from 'langchain'
//   import { sbxTool } from './langchain.mjs'
//   createAgent({ model, tools: [sbxTool({ session: 'agent', options: ['-p', 'node'] })] })
//
// Without a session each command writes to the project itself.
import { spawn } from 'node:child_process'
import { tool } from '@langchain/core/tools'

const run = (program, words, { cwd, signal }) => new Promise((resolve, reject) => {
  const child = spawn(program, words, { cwd, signal, stdio: ['ignore', 'pipe', 'inherit'] })
  const parts = []
  child.stdout.on('data', bytes => parts.push(bytes))
  child.on('error', reject)
  child.on('close', () => resolve(Buffer.concat(parts).toString()))
})

// most: characters of an output that the model gets.
export const sbxTool = ({ session, options = [], cwd, program = 'sbx', name = 'shell', most = 30000 } = {}) => tool(
  async ({ command }, config) => {
    const words = ['run', ...options, ...(session ? ['-s', session] : []), '--json', '--', 'bash', '-c', 'exec 2>&1\n' + command]
    const result = JSON.parse(await run(program, words, { cwd, signal: config?.signal }))
    const cut = result.stdout.length - most
    return [
      cut > 0 ? `${result.stdout.slice(0, most)}\n[${cut} more characters]\n` : result.stdout,
      ...result.denied.map(each => `sbx: denied: ${each.kind} ${each.what}: ${each.why}\n`),
      ...result.limits.map(each => `sbx: limit ${each.name}: ${each.what}\n`),
      result.error ? `sbx: ${result.error}\n` : '',
      result.status === 0 ? '' : `[exit status ${result.status}]\n`,
    ].join('')
  },
  {
    name,
    description: 'Runs a command line of bash in a sandbox; returns its output. What the sandbox denied is said in lines that begin with sbx:',
    schema: { type: 'object', properties: { command: { type: 'string', description: 'the command line' } }, required: ['command'] },
  },
)
