// claude-agent-sdk: starts Claude Code, its tools, hooks and servers with it, in a box of sbx
//
//   import { query } from '@anthropic-ai/claude-agent-sdk'
//   import { sbxLauncher } from './claude-agent-sdk.mjs'
//   query({ prompt, options: { spawnClaudeCodeProcess: sbxLauncher({ session: 'agent' }) } })
//
// Claude Code's own sandbox is to be off: sandbox: { enabled: false }.
import { spawn } from 'node:child_process'
import { dirname, isAbsolute } from 'node:path'

// options: words of sbx run; they replace the profile claude-code.
export const sbxLauncher = ({ session, options = ['-p', 'claude-code'], program = 'sbx' } = {}) =>
  ({ command, args, cwd, env, signal }) => {
    // Where the program and its script are: below node_modules, or in an installation.
    const places = [command, args[0]].filter(word => word && isAbsolute(word)).flatMap(word => ['-r', dirname(word)])
    const words = ['run', ...options, ...places, ...(session ? ['-s', session] : []), '--die-with-parent', '--', command, ...args]
    return spawn(program, words, { cwd, env, signal, stdio: ['pipe', 'pipe', 'inherit'] })
  }
