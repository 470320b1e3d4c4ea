// openai-agents: a sandbox client of the OpenAI Agents SDK whose sessions are those of sbx
//
//   import { run } from '@openai/agents'
//   import { SandboxAgent } from '@openai/agents/sandbox'
//   import { SbxSandboxClient } from './openai-agents.mjs'
//   run(agent, input, { sandbox: { client: new SbxSandboxClient({ session: 'agent' }) } })
//
// The workspace is the project; what the agent changes stays in the session.
import { spawn } from 'node:child_process'
import { join } from 'node:path'
import { applyDiff } from '@openai/agents'
import { Manifest } from '@openai/agents/sandbox'

const sbx = (words, { input = '', cwd, program = 'sbx' }) => new Promise((resolve, reject) => {
  const child = spawn(program, words, { cwd })
  const streams = { stdout: [], stderr: [] }
  for (const name in streams) child[name].on('data', bytes => streams[name].push(bytes))
  child.on('error', reject)
  child.on('close', status => resolve({ status, stdout: Buffer.concat(streams.stdout), stderr: Buffer.concat(streams.stderr) }))
  child.stdin.on('error', () => {}) // it ended before it read all
  child.stdin.end(input)
})

class SbxSession {
  constructor(client, manifest) {
    this.client = client
    this.state = { manifest: new Manifest({ ...manifest, root: client.root }), session: client.session, workspaceReady: true }
  }

  async box(script, words = [], input) {
    const { options, session, place } = this.client
    const done = await sbx(['run', ...options, '-s', session, '--report', 'never', '--', 'sh', '-c', script, 'sbx', ...words], { ...place, input })
    if (done.status !== 0) throw new Error(done.stderr.toString().trim() || `exit status ${done.status}`)
    return done.stdout
  }

  async exec({ cmd, workdir, shell = 'bash', maxOutputTokens }) {
    const { options, session, place, root } = this.client
    const script = `cd -- "$1" && exec "$2" -c "$3"`
    const words = ['run', ...options, '-s', session, '--json', '--', 'sh', '-c', script, 'sbx', join(root, workdir ?? ''), shell, cmd]
    const result = JSON.parse((await sbx(words, place)).stdout)
    const denied = result.denied.map(each => `sbx: denied: ${each.kind} ${each.what}: ${each.why}\n`).join('')
    const stderr = result.stderr + denied + (result.error ? `sbx: ${result.error}\n` : '')
    const output = result.stdout + stderr, most = maxOutputTokens ? maxOutputTokens * 4 : output.length
    return { output: output.slice(0, most), stdout: result.stdout, stderr, wallTimeSeconds: result.wall_ms / 1000, exitCode: result.exit ?? result.status }
  }

  async execCommand(args) {
    const done = await this.exec(args)
    return `Wall time: ${done.wallTimeSeconds.toFixed(4)} seconds\nProcess exited with code ${done.exitCode}\nOutput:\n${done.output}`
  }

  at(path) { return join(this.client.root, path.startsWith(this.client.root) ? path.slice(this.client.root.length) : path) }

  async readFile({ path, maxBytes }) {
    return this.box(maxBytes ? 'exec head -c "$2" -- "$1"' : 'exec cat -- "$1"', [this.at(path), String(maxBytes)])
  }

  async writeFile(path, content) {
    await this.box('mkdir -p -- "$(dirname -- "$1")" && cat >"$1"', [this.at(path)], content)
  }

  async pathExists(path) {
    return (await this.box('[ ! -e "$1" ] || echo yes', [this.at(path)])).length > 0
  }

  async listDir({ path }) {
    const text = await this.box('cd -- "$1" && for each in .* *; do [ ! -d "$each" ] || echo "dir $each"; [ ! -f "$each" ] || echo "file $each"; done', [this.at(path)])
    return text.toString().split('\n').filter(line => line && !/^dir \.\.?$/.test(line)).map(line => {
      const [, type, name] = /^(\w+) (.*)$/.exec(line)
      return { type, name, path: join(path, name) }
    })
  }

  createEditor() {
    const write = async ({ path, diff }, old, mode) => { await this.writeFile(path, applyDiff(old, diff, mode)) }
    return {
      createFile: operation => write(operation, '', 'create'),
      updateFile: async operation => write(operation, (await this.readFile(operation)).toString(), 'default'),
      deleteFile: async ({ path }) => { await this.box('rm -- "$1"', [this.at(path)]) },
    }
  }

  supportsPty() { return false }
  async running() { return true }
}

export class SbxSandboxClient {
  backendId = 'sbx'
  // options: words of sbx run; cwd: the project; program: sbx by another path
  constructor({ session, options = [], cwd = process.cwd(), program = 'sbx' }) {
    Object.assign(this, { session, options, root: cwd, place: { cwd, program } })
  }

  async create(args) {
    const known = await sbx(['session', 'show', this.session], this.place)
    const made = known.status === 0 ? known : await sbx(['session', 'create', this.session], this.place)
    if (made.status !== 0) throw new Error(made.stderr.toString())
    return new SbxSession(this, args?.manifest)
  }

  async delete() {} // the session is for its user to apply or to remove
}
