// sbx mcp with the official client and real servers: node mcp-clients.mjs PACKAGES. TAP.
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { execFileSync, spawn, spawnSync } from 'node:child_process'
import { createRequire } from 'node:module'
import { pathToFileURL } from 'node:url'

const packages = process.argv[2], require = createRequire(packages + '/x.js')
const load = name => import(pathToFileURL(require.resolve(name)))
const { Client } = await load('@modelcontextprotocol/sdk/client/index.js')
const { StdioClientTransport } = await load('@modelcontextprotocol/sdk/client/stdio.js')
const { LATEST_PROTOCOL_VERSION } = await load('@modelcontextprotocol/sdk/types.js')
const program = process.env.SBX, home = process.env.HOME, project = process.cwd(), bin = packages + '/.bin'
let count = 0
const check = (name, good, more) => console.log(`${good ? 'ok' : 'not ok'} ${++count} - ${name}${good ? '' : '\n# ' + JSON.stringify(more)}`)
const skip = (name, why) => console.log(`ok ${++count} - ${name} # SKIP ${why}`)
const connect = async (command, args, env = {}) => {
  const transport = new StdioClientTransport({ command, args, env: { ...process.env, ...env }, stderr: 'pipe' })
  const client = new Client({ name: 'test', version: '1' })
  let said = ''
  transport.stderr.on('data', bytes => { said += bytes })
  await client.connect(transport)
  return { client, said: () => said, call: async (name, args, more) => {
    const result = await client.callTool({ name, arguments: args }, undefined, more)
    return result.content[0].text ?? JSON.stringify(result)
  } }
}
const wrapped = (name, words = [], options = [], env) => connect(program, ['mcp', 'wrap', '-r', packages, ...options, '--', `${bin}/${name}`, ...words], env)
// What a server of this name is denied: the same words of sbx, with a shell in its place.
const denied = (profile, script, env = {}) => spawnSync(program, ['mcp', 'wrap', '-r', packages, '-p', profile, '--', 'sh', '-c', script],
  { encoding: 'utf8', env: { ...process.env, ...env } })
const there = name => existsSync(`${packages}/${name}`) || (skip(name, 'its package is not there'), false)

writeFileSync(`${home}/secret`, 'outside\n')
writeFileSync('inside', 'project\n')

if (there('@modelcontextprotocol/server-filesystem')) {
  const server = await wrapped('mcp-server-filesystem', [project, home])
  const tools = await server.client.listTools()
  check('filesystem: its tools', tools.tools.some(each => each.name === 'read_text_file'), tools)
  check('filesystem: the project is read', (await server.call('read_text_file', { path: `${project}/inside` })).includes('project'))
  await server.call('write_file', { path: `${project}/made`, content: 'by it\n' })
  check('filesystem: and written', readFileSync('made', 'utf8') === 'by it\n')
  check('filesystem: a file of the home that it may serve is not there', /ENOENT|not exist|denied/.test(await server.call('read_text_file', { path: `${home}/secret` })))
  await server.call('write_file', { path: `${project}/.git/hooks/post-merge`, content: '#!/bin/sh\n' })
  check('filesystem: no hook of git', !existsSync('.git/hooks/post-merge'))
  await server.client.close()
}
if (there('@modelcontextprotocol/server-memory')) {
  const server = await wrapped('mcp-server-memory', [], ['--tmpfs', `${home}/memory`], { MEMORY_FILE_PATH: `${home}/memory/m.jsonl` })
  await server.call('create_entities', { entities: [{ name: 'box', entityType: 'thing', observations: ['has walls'] }] })
  check('memory: what it was told', (await server.call('open_nodes', { names: ['box'] })).includes('has walls'))
  const shut = denied('mcp-memory', `cat ${project}/inside ${home}/secret; curl -s -m 9 https://refused.invalid`)
  check('memory: no project, no home, no other host', shut.stdout === '' && /blocked refused.invalid/.test(shut.stderr), shut)
  const bare = await connect(`${bin}/mcp-server-memory`, [], { MEMORY_FILE_PATH: `${home}/bare.jsonl` })
  await bare.call('create_entities', { entities: [{ name: 'box', entityType: 'thing', observations: ['has walls'] }] })
  const times = { server: [], bare: [] }
  for (let i = 0; i < 1000; i++)
    for (const [name, one] of [['server', server], ['bare', bare]]) {
      const began = performance.now()
      await one.call('read_graph', {})
      times[name].push(performance.now() - began)
    }
  const middle = list => list.sort((a, b) => a - b)[500]
  console.log(`# memory: the median of 1000 calls: wrapped ${middle(times.server).toFixed(4)} ms, bare ${middle(times.bare).toFixed(4)} ms, ratio ${(middle(times.server) / middle(times.bare)).toFixed(3)}`)
  await bare.client.close()
  await server.client.close()
}
if (there('@modelcontextprotocol/server-sequential-thinking')) {
  const server = await wrapped('mcp-server-sequential-thinking')
  check('sequential-thinking: a thought', (await server.call('sequentialthinking', { thought: 'x', nextThoughtNeeded: false, thoughtNumber: 1, totalThoughts: 1 })).includes('thoughtNumber'))
  const shut = denied('mcp-sequential-thinking', `cat ${project}/inside ${home}/secret`)
  check('sequential-thinking: no project, no home', shut.stdout === '' && shut.status !== 0, shut)
  await server.client.close()
}
if (there('@modelcontextprotocol/server-github')) {
  const token = 'ghp_' + 'Canary0123456789abcdefCANARY012345XY', env = { GITHUB_PERSONAL_ACCESS_TOKEN: token }
  const server = await wrapped('mcp-server-github', [], [], env)
  check('github: its tools', (await server.client.listTools()).tools.some(each => each.name === 'create_issue'))
  const answer = await server.call('search_repositories', { query: 'sbx' }).catch(String)
  check('github: an answer without the token', !answer.includes(token), answer)
  await server.client.close()
  const shut = denied('mcp-github', `printenv GITHUB_PERSONAL_ACCESS_TOKEN; tr '\\0' '\\n' </proc/self/environ | grep -c ${token}; cat ${project}/inside ${home}/secret; curl -s -m 9 https://github.com`, env)
  check('github: a placeholder, no project, no home, no host but api.github.com', /^ghp_.{36}\n0\n$/.test(shut.stdout) && !shut.stdout.includes(token) && /blocked github.com/.test(shut.stderr), shut)
}
if (there('@modelcontextprotocol/server-postgres')) {
  const place = execFileSync('sh', ['-c', 'ls -d /usr/lib/postgresql/*/bin 2>/dev/null | tail -1; command -v initdb | xargs -r dirname'], { encoding: 'utf8' }).split('\n')[0]
  if (!place || process.getuid() === 0) skip('postgres: a query', place ? 'postgres does not run as root' : 'postgres is not installed')
  else {
    const port = String(20000 + process.pid % 20000), data = `${home}/db`
    execFileSync(`${place}/initdb`, ['-D', data, '-U', 'me', '-A', 'trust'], { stdio: 'ignore' })
    const database = spawn(`${place}/postgres`, ['-D', data, '-p', port, '-k', home], { stdio: 'ignore' })
    for (let i = 0; i < 300 && spawnSync(`${place}/pg_isready`, ['-h', '127.0.0.1', '-p', port]).status !== 0; i++) await new Promise(done => setTimeout(done, 100))
    const url = `postgresql://me@127.0.0.1:${port}/postgres`
    const server = await wrapped('mcp-server-postgres', [url], ['--host-port', port])
    check('postgres: a query', (await server.call('query', { sql: 'select 6 * 7 as answer' })).includes('42'))
    await server.client.close()
    const refused = await wrapped('mcp-server-postgres', [url])
    check('postgres: another port of this machine is not there', /refused|ECONN|error/i.test(await refused.call('query', { sql: 'select 1' }).catch(String)))
    await refused.client.close()
    database.kill('SIGINT')
    await new Promise(done => database.on('exit', done))
  }
}
if (there('@playwright/mcp')) {
  const browser = execFileSync('sh', ['-c', 'command -v chromium chromium-browser google-chrome | head -1'], { encoding: 'utf8' }).trim()
  const server = await wrapped('playwright-mcp', ['--headless', '--isolated', ...(browser ? ['--executable-path', browser] : [])])
  check('playwright: its tools', (await server.client.listTools()).tools.some(each => each.name === 'browser_navigate'))
  if (browser) check('playwright: a page', /Page/.test(await server.call('browser_navigate', { url: 'data:text/html,<title>Page</title>' })))
  else skip('playwright: a page', 'there is no chromium')
  await server.client.close()
  const shut = denied('mcp-playwright', `cat ${project}/inside ${home}/secret; curl -s -m 9 https://refused.invalid`)
  check('playwright: no project, no home, no site but those that are named', shut.stdout === '' && /blocked refused.invalid/.test(shut.stderr), shut)
}

// --- serve
spawnSync(program, ['session', 'create', 'agent'])
const server = await connect(program, ['mcp', 'serve', '-s', 'agent'])
const spoken = spawnSync(program, ['mcp', 'serve', '-s', 'agent'], { encoding: 'utf8',
  input: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'initialize', params: { protocolVersion: LATEST_PROTOCOL_VERSION } }) + '\n' }).stdout
check(`serve: version ${LATEST_PROTOCOL_VERSION} of the protocol, as this client has it`, JSON.parse(spoken).result.protocolVersion === LATEST_PROTOCOL_VERSION, spoken)
check('serve: its tools', (await server.client.listTools()).tools.map(each => each.name).join(' ') === 'run read write edit list diff apply why')
check('serve: run', await server.call('run', { command: 'echo $SBX' }) === '1\n')
await server.call('write', { path: 'deep/file', content: 'one\n' })
await server.call('edit', { path: 'deep/file', old: 'one', new: 'two' })
check('serve: write, edit, read', await server.call('read', { path: 'deep/file' }) === 'two\n')
check('serve: diff', (await server.call('diff', {})).includes('deep/file'))
await server.call('apply', {})
check('serve: apply', readFileSync('deep/file', 'utf8') === 'two\n')
const steps = []
await server.call('run', { command: 'sleep 2.5' }, { onprogress: step => steps.push(step.progress) })
check('serve: progress', steps.length > 0 && steps.every((each, i) => i === 0 || each > steps[i - 1]), steps)
const stop = new AbortController()
setTimeout(() => stop.abort(), 300)
check('serve: a call that is aborted', /abort/i.test(await server.call('run', { command: 'sleep 982' }, { signal: stop.signal }).catch(String)))
check('serve: and the next one', await server.call('run', { command: 'echo on' }) === 'on\n')
const all = await Promise.all(Array.from({ length: 200 }, (_, i) => server.call('run', { command: `echo ${i}` })))
check('serve: 200 calls at once', all.every((each, i) => each === `${i}\n`))
if (there('@modelcontextprotocol/client')) {
  const [{ Client: Next }, { StdioClientTransport: Pipe }] = await Promise.all(['client', 'client/stdio'].map(each => load(`@modelcontextprotocol/${each}`)))
  for (const mode of ['legacy', 'auto']) {
    const next = new Next({ name: 'test', version: '1' }, { versionNegotiation: { mode } })
    await next.connect(new Pipe({ command: program, args: ['mcp', 'serve', '-s', 'agent'], env: process.env }))
    const answer = await next.callTool({ name: 'run', arguments: { command: 'echo on' } })
    check(`serve: the client of version 2, which asks for versions by ${mode}`, answer.content[0].text === 'on\n', answer)
    await next.close()
  }
}
const began = performance.now()
for (let i = 0; i < 100; i++) await server.call('run', { command: 'true' })
console.log(`# serve: 100 calls in ${Math.round(performance.now() - began)} ms`)
await server.client.close()
console.log(`1..${count}`)
