// deepagents: a backend whose commands and files are those of a session of sbx
//
//   import { createDeepAgent } from 'deepagents'
//   import { SbxBackend } from './deepagents.mjs'
//   createDeepAgent({ backend: new SbxBackend({ session: 'agent', options: ['-p', 'node'] }) })
//
// What the agent changes stays in the session: sbx session diff agent, sbx session apply agent.
import { spawn } from 'node:child_process'
import { BaseSandbox } from 'deepagents'

// Runs sbx with these words; { status, stdout, stderr }, both as bytes.
const sbx = (words, { input = '', cwd, program = 'sbx' } = {}) => new Promise((resolve, reject) => {
  const child = spawn(program, words, { cwd })
  const streams = { stdout: [], stderr: [] }
  for (const name in streams) child[name].on('data', bytes => streams[name].push(bytes))
  child.on('error', reject)
  child.on('close', status => resolve({ status, stdout: Buffer.concat(streams.stdout), stderr: Buffer.concat(streams.stderr) }))
  child.stdin.on('error', () => {}) // it ended before it read all
  child.stdin.end(input)
})

export class SbxBackend extends BaseSandbox {
  // options: words of sbx run; cwd: the project; program: sbx by another path
  constructor({ session, options = [], cwd, program }) {
    super()
    if (!session) throw new Error('SbxBackend needs a session: sbx session create NAME')
    this.id = session
    this.place = { cwd, program }
    this.words = ['run', ...options, '-s', session]
  }

  // The session, made where there is none.
  ready() {
    return this.made ??= (async () => {
      if ((await sbx(['session', 'show', this.id], this.place)).status === 0) return
      const made = await sbx(['session', 'create', this.id], this.place)
      if (made.status !== 0) throw new Error(made.stderr.toString())
    })()
  }

  async inBox(script, path, input) {
    await this.ready()
    return sbx([...this.words, '--report', 'never', '--', 'sh', '-c', script, 'sbx', path], { ...this.place, input })
  }

  async execute(command) {
    await this.ready()
    const done = await sbx([...this.words, '--json', '--', 'bash', '-c', 'exec 2>&1\n' + command], this.place)
    const result = JSON.parse(done.stdout)
    const denied = result.denied.map(each => `sbx: denied: ${each.kind} ${each.what}: ${each.why}\n`)
    const error = result.error ? [`sbx: ${result.error}\n`] : []
    return { output: [result.stdout, ...error, ...denied].join(''), exitCode: result.exit ?? result.status, truncated: result.truncated }
  }

  async uploadFiles(files) {
    return Promise.all(files.map(async ([path, content]) => {
      if (!path.startsWith('/')) return { path, error: 'invalid_path' }
      const done = await this.inBox('[ ! -d "$1" ] || exit 3; mkdir -p -- "$(dirname -- "$1")" && cat >"$1"', path, content)
      return { path, error: done.status === 0 ? null : done.status === 3 ? 'is_directory' : 'permission_denied' }
    }))
  }

  async downloadFiles(paths) {
    return Promise.all(paths.map(async path => {
      if (!path.startsWith('/')) return { path, content: null, error: 'invalid_path' }
      const done = await this.inBox('[ ! -d "$1" ] || exit 3; [ -e "$1" ] || exit 4; exec cat -- "$1"', path)
      const error = { 0: null, 3: 'is_directory', 4: 'file_not_found' }[done.status]
      return { path, content: error === null ? new Uint8Array(done.stdout) : null, error: error === undefined ? 'permission_denied' : error }
    }))
  }
}
