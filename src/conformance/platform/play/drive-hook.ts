/** Drives any platform by a command of the user's: each wish is one run of it, as JSON on stdin. */
import { spawn } from 'node:child_process'
import { objectIn } from '../../../protocol/json.ts'
import { broken, type Drive, type Fulfilled, type Look, unable, WISH_TIMEOUT_MS, type Wish } from './drive.ts'

/** The hook ends with this when it cannot do what is wished: the case is not judged. */
export const EXIT_UNABLE = 3
/** Characters of a hook's output that are kept. */
const MAX_OUTPUT = 64 * 1024

export function driveByHook(command: string): Drive {
  return (wish) => runHook(command, wish)
}

/** `restart` goes to a command of its own; all other wishes go on. */
export function withRestart(drive: Drive, command: string): Drive {
  return (wish) => (wish.do === 'restart' ? runHook(command, wish) : drive(wish))
}

/** Of the command's process group nothing is left when its time is over. */
function runHook(command: string, wish: Wish): Promise<Fulfilled> {
  const child = spawn(command, { shell: true, detached: true, stdio: ['pipe', 'pipe', 'pipe'] })
  const output = { stdout: '', stderr: '' }
  for (const name of ['stdout', 'stderr'] as const) {
    child[name].setEncoding('utf8').on('data', (text: string) => {
      output[name] = (output[name] + text).slice(0, MAX_OUTPUT)
    })
  }
  child.stdin.on('error', () => {}) // it may end without reading
  child.stdin.end(`${JSON.stringify(wish)}\n`)
  return new Promise((resolve) => {
    const timer = setTimeout(() => {
      killGroup(child.pid)
      resolve(broken(`the command did not end within ${WISH_TIMEOUT_MS / 1_000} s`))
    }, WISH_TIMEOUT_MS)
    const end = (fulfilled: Fulfilled) => {
      clearTimeout(timer)
      resolve(fulfilled)
    }
    child.once('error', (error) => end(broken(error.message)))
    child.once('exit', (code) => setImmediate(() => end(read(code, output))))
  })
}

function killGroup(pid: number | undefined): void {
  if (pid === undefined) return
  try {
    process.kill(-pid, 'SIGKILL')
  } catch {
    // it has ended meanwhile
  }
}

function read(code: number | null, { stdout, stderr }: { stdout: string; stderr: string }): Fulfilled {
  if (code === EXIT_UNABLE) return unable(stderr.trim() || 'the command cannot do this')
  if (code !== 0) return broken(`the command ended with ${code}: ${stderr.trim().slice(0, 300)}`)
  const look = readLook(stdout)
  return { kind: 'done', ...(look && { look }) }
}

function readLook(stdout: string): Look | undefined {
  const said = objectIn(stdout)
  if (said === undefined) return undefined
  const { status, delivery } = said
  return {
    ...(typeof status === 'string' && { status }),
    ...(typeof delivery === 'string' && { delivery }),
  }
}
