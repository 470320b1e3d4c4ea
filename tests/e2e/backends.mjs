// The adapters of backends/ with the packages that they are for: node backends.mjs ADAPTER FILE. TAP.
import { execFileSync, spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { pathToFileURL } from 'node:url'

const [, , which, file] = process.argv
const program = process.env.SBX, secret = process.env.OUTSIDE, project = process.cwd(), session = `test-${which}`
const adapter = await import(pathToFileURL(file))
let count = 0
const is = (name, wanted, got) => {
  const [left, right] = [wanted, got].map(value => JSON.stringify(value))
  console.log(`${left === right ? 'ok' : 'not ok'} ${++count} - ${which}: ${name}${left === right ? '' : `\n# wanted: ${left}\n# got:    ${right}`}`)
}
const has = (name, text, pattern) => is(`${name} (${pattern})`, true, pattern.test(text) || text)
const sbx = (...words) => spawnSync(program, words, { encoding: 'utf8' })
const loop = async call => {
  const began = performance.now(), said = []
  for (let i = 0; i < 100; i++) said.push(await call(i))
  is('a loop of 100 calls, each answer its own', Array.from({ length: 100 }, (_, i) => `n${i}`), said)
  console.log(`# ${which}: 100 calls in ${Math.round(performance.now() - began)} ms`)
}

const tests = {
  async deepagents() {
    const { isSandboxBackend, resolveBackend, createFilesystemMiddleware } = await import('deepagents')
    const backend = new adapter.SbxBackend({ session, program })
    is('the package takes it for a sandbox', true, isSandboxBackend(backend))
    is('execute: output of both streams, status', { output: 'a\nb\n', exitCode: 3, truncated: false }, await backend.execute('echo a; echo b >&2; exit 3'))
    const wrote = await backend.write(`${project}/one.txt`, 'first\nsecond\n')
    is('write', undefined, wrote.error)
    is('the host has no such file yet', false, existsSync('one.txt'))
    has('read', JSON.stringify(await backend.read(`${project}/one.txt`)), /second/)
    is('edit', undefined, (await backend.edit(`${project}/one.txt`, 'second', 'third')).error)
    has('edit: a text that is not there', (await backend.edit(`${project}/one.txt`, 'nothing', 'x')).error ?? '', /not found/i)
    has('ls', JSON.stringify(await backend.ls(project)), /one\.txt/)
    has('grep', JSON.stringify(await backend.grep('third', project)), /one\.txt/)
    has('glob', JSON.stringify(await backend.glob('*.txt', project)), /one\.txt/)
    const bytes = Uint8Array.from({ length: 256 }, (_, i) => i)
    is('upload', [{ path: `${project}/d/b`, error: null }, { path: project, error: 'is_directory' }, { path: 'x', error: 'invalid_path' }],
      await backend.uploadFiles([[`${project}/d/b`, bytes], [project, bytes], ['x', bytes]]))
    const [got, none, directory] = await backend.downloadFiles([`${project}/d/b`, `${project}/none`, project])
    is('download: each byte', [...bytes], [...got.content])
    is('download: no file, a directory', ['file_not_found', 'is_directory'], [none.error, directory.error])
    is('a file outside is not there', 'file_not_found', (await backend.downloadFiles([secret]))[0].error)
    has('nor for a command', (await backend.execute(`cat ${secret}`)).output, /No such file/)
    has('a host that is denied is said', (await backend.execute('curl -s -m 9 https://refused.invalid')).output, /sbx: denied: connect refused.invalid/)
    has('the middleware has its tools', createFilesystemMiddleware({ backend }).tools.map(each => each.name).join(' '), /execute/)
    is('what it is resolved to', session, (await resolveBackend(backend, {})).id)
    has('the session has the difference', sbx('session', 'diff', session).stdout, /\+third/)
    sbx('session', 'apply', session)
    is('apply brings it', 'first\nthird\n', readFileSync('one.txt', 'utf8'))
    await loop(async i => (await backend.execute(`printf n${i}`)).output)
  },

  async langchain() {
    const { createAgent } = await import('langchain')
    const { AIMessage } = await import('@langchain/core/messages')
    const { BaseChatModel } = await import('@langchain/core/language_models/chat_models')
    sbx('session', 'create', session)
    const tool = adapter.sbxTool({ session, program, most: 100 })
    is('output of both streams, status', 'a\nb\n[exit status 3]\n', await tool.invoke({ command: 'echo a; echo b >&2; exit 3' }))
    has('its schema is checked', await tool.invoke({ wrong: 1 }).catch(String), /schema/)
    has('a long output is cut', await tool.invoke({ command: 'seq 1 1000' }), /\[3793 more characters\]/)
    has('a file outside is not there', await tool.invoke({ command: `cat ${secret}` }), /No such file/)
    has('a host that is denied is said', await tool.invoke({ command: 'curl -s -m 9 https://refused.invalid' }), /sbx: denied: connect refused.invalid/)
    is('the project does not change', false, (await tool.invoke({ command: 'echo x >made' }), existsSync('made')))
    const stop = new AbortController()
    setTimeout(() => stop.abort(), 300)
    has('a call that is aborted ends', await tool.invoke({ command: 'sleep 99' }, { signal: stop.signal }).catch(String), /abort/i)
    has('a session that is not there is said', await adapter.sbxTool({ session: 'none', program }).invoke({ command: 'true' }), /no session 'none'/)
    class Scripted extends BaseChatModel {
      turns = 0
      _llmType() { return 'scripted' }
      bindTools() { return this }
      async _generate(messages) {
        const message = this.turns++ === 0
          ? new AIMessage({ content: '', tool_calls: [{ name: 'shell', args: { command: 'cat made' }, id: '1', type: 'tool_call' }] })
          : new AIMessage('it says ' + messages.at(-1).content)
        return { generations: [{ message, text: '' }] }
      }
    }
    const agent = createAgent({ model: new Scripted({}), tools: [tool] })
    const end = await agent.invoke({ messages: [{ role: 'user', content: 'read it' }] })
    is('an agent uses it', 'it says x\n', end.messages.at(-1).content)
    await loop(i => tool.invoke({ command: `printf n${i}` }))
  },

  async 'openai-agents'() {
    const { run, Runner } = await import('@openai/agents')
    const { SandboxAgent, filesystem, shell, Manifest } = await import('@openai/agents/sandbox')
    const { ScriptedModel, assistantMessage, functionCall } = await import('@openai/agents/testing')
    const client = new adapter.SbxSandboxClient({ session, program })
    const box = await client.create({ manifest: new Manifest() })
    const done = await box.exec({ cmd: 'echo a; echo b >&2; exit 3' })
    is('exec', ['a\n', 'b\n', 3], [done.stdout, done.stderr, done.exitCode])
    await box.writeFile('d/x.txt', 'one\ntwo\n')
    is('readFile', 'one\ntwo\n', (await box.readFile({ path: 'd/x.txt' })).toString())
    is('readFile: so many bytes', 'one', (await box.readFile({ path: 'd/x.txt', maxBytes: 3 })).toString())
    is('listDir', [{ type: 'file', name: 'x.txt', path: 'd/x.txt' }], await box.listDir({ path: 'd' }))
    is('pathExists', [true, false], [await box.pathExists('d/x.txt'), await box.pathExists('d/y')])
    const editor = box.createEditor()
    await editor.updateFile({ type: 'update_file', path: 'd/x.txt', diff: '@@\n one\n-two\n+three\n' })
    await editor.createFile({ type: 'create_file', path: 'made', diff: '+made\n' })
    is('an editor changes and makes files', 'one\nthree\nmade', (await box.readFile({ path: 'd/x.txt' })) + (await box.readFile({ path: 'made' })))
    await editor.deleteFile({ type: 'delete_file', path: 'made' })
    is('and removes them', false, await box.pathExists('made'))
    is('the host has none of it', false, existsSync('d'))
    has('a file outside is not there', await box.readFile({ path: `../../../../../..${secret}` }).catch(String), /No such file/)
    has('a host that is denied is said', (await box.exec({ cmd: 'curl -s -m 9 https://refused.invalid' })).stderr, /sbx: denied: connect refused.invalid/)
    const model = new ScriptedModel([[functionCall('exec_command', { cmd: 'cat d/x.txt' }, { callId: '1' })], [assistantMessage('done')]])
    const agent = new SandboxAgent({ name: 'tester', model, capabilities: [shell(), filesystem()] })
    const result = await new Runner({ tracingDisabled: true }).run(agent, 'read it', { sandbox: { client } })
    has('an agent of the package uses it', JSON.stringify(result.history), /three/)
    is('to its end', 'done', result.finalOutput)
    await loop(async i => (await box.exec({ cmd: `printf n${i}` })).stdout)
  },

  async 'claude-agent-sdk'() {
    const { query } = await import('@anthropic-ai/claude-agent-sdk')
    mkdirSync('fake', { recursive: true })
    // Speaks as Claude Code does to the SDK; its one answer is what a command in it prints.
    writeFileSync('fake/claude.mjs', `
import { createInterface } from 'node:readline'
import { execSync } from 'node:child_process'
const say = each => process.stdout.write(JSON.stringify({ session_id: 's', uuid: 'u', ...each }) + '\\n')
for await (const line of createInterface({ input: process.stdin })) {
  const message = JSON.parse(line)
  if (message.type === 'control_request')
    say({ type: 'control_response', response: { subtype: 'success', request_id: message.request_id, response: { commands: [], models: [], account: {} } } })
  if (message.type !== 'user') continue
  let text
  const content = message.message.content
  try { text = execSync(typeof content === 'string' ? content : content[0].text, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] }) } catch (error) { text = error.stderr }
  say({ type: 'result', subtype: 'success', is_error: false, result: text, num_turns: 1, duration_ms: 1, duration_api_ms: 1, total_cost_usd: 0, usage: {}, modelUsage: {}, permission_denials: [] })
  process.exit(0)
}`)
    const ask = async (prompt, more) => {
      const options = { pathToClaudeCodeExecutable: `${project}/fake/claude.mjs`, executable: 'node', cwd: project, spawnClaudeCodeProcess: adapter.sbxLauncher({ program, ...more }), settingSources: [] }
      for await (const message of query({ prompt, options })) if (message.type === 'result') return message.result
    }
    is('a query is answered from a box', '1\n', await ask('echo $SBX'))
    has('a file outside is not there', await ask(`cat ${secret}`), /No such file/)
    is('its writes are in the project', true, (await ask('echo x >made'), existsSync('made')))
    sbx('session', 'create', session)
    is('with a session they are in that', ['', false], [await ask('echo x >other', { session }), existsSync('other')])
    has('which has them', sbx('session', 'diff', session).stdout, /other/)
    const real = execFileSync('sh', ['-c', 'ls -d "$0"/@anthropic-ai/claude-agent-sdk-linux-*/claude 2>/dev/null || true', process.env.PACKAGES], { encoding: 'utf8' }).trim()
    if (real) {
      const child = adapter.sbxLauncher({ program })({ command: real, args: ['--version'], cwd: project, env: process.env })
      let text = ''
      child.stdout.on('data', bytes => { text += bytes })
      await new Promise(done => child.on('close', done))
      has('the real program starts in a box', text, /Claude Code/)
    } else console.log(`ok ${++count} - ${which}: the real program starts in a box # SKIP its package is not there`)
    await loop(async i => (await ask(`echo n${i}`)).trim())
  },
}
await tests[which]()
console.log(`1..${count}`)
