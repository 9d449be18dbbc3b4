/** Drives any platform by a command of the user's: each wish is one run of it, as JSON on stdin. */
import { spawn } from 'node:child_process'
import { parseJsonObject } from '../../../protocol/values/exact-json.ts'
import {
  DRIVER_TIMEOUT_MS,
  type DriverRequest,
  type DriverResult,
  driverFault,
  driverUnable,
  type PlatformDriver,
  type ReportedBetState,
} from './platform-driver.ts'

/** The hook ends with this when it cannot do what is wished: the case is not judged. */
export const EXIT_HOOK_UNABLE = 3
/** Characters of a hook's output that are kept. */
const MAX_OUTPUT = 64 * 1024

export function createHookDriver(command: string): PlatformDriver {
  return (driverRequest) => runHook(command, driverRequest)
}

/** `restart` goes to a command of its own; all other wishes go on. */
export function withRestartCommand(drive: PlatformDriver, command: string): PlatformDriver {
  return (driverRequest) => (driverRequest.do === 'restart' ? runHook(command, driverRequest) : drive(driverRequest))
}

/** Of the command's process group nothing is left when its time is over. */
function runHook(command: string, driverRequest: DriverRequest): Promise<DriverResult> {
  const child = spawn(command, { shell: true, detached: true, stdio: ['pipe', 'pipe', 'pipe'] })
  const output = { stdout: '', stderr: '' }
  for (const name of ['stdout', 'stderr'] as const) {
    child[name].setEncoding('utf8').on('data', (text: string) => {
      output[name] = (output[name] + text).slice(0, MAX_OUTPUT)
    })
  }
  child.stdin.on('error', () => {}) // it may end without reading
  child.stdin.end(`${JSON.stringify(driverRequest)}\n`)
  return new Promise((resolve) => {
    const timer = setTimeout(() => {
      killGroup(child.pid)
      resolve(driverFault(`the command did not end within ${DRIVER_TIMEOUT_MS / 1_000} s`))
    }, DRIVER_TIMEOUT_MS)
    const end = (result: DriverResult) => {
      clearTimeout(timer)
      resolve(result)
    }
    child.once('error', (error) => end(driverFault(error.message)))
    child.once('exit', (code) => setImmediate(() => end(parseHookResult(code, output))))
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

function parseHookResult(code: number | null, { stdout, stderr }: { stdout: string; stderr: string }): DriverResult {
  if (code === EXIT_HOOK_UNABLE) return driverUnable(stderr.trim() || 'the command cannot do this')
  if (code !== 0) return driverFault(`the command ended with ${code}: ${stderr.trim().slice(0, 300)}`)
  const betState = parseBetState(stdout)
  return { kind: 'done', ...(betState && { look: betState }) }
}

function parseBetState(stdout: string): ReportedBetState | undefined {
  const output = parseJsonObject(stdout)
  if (output === undefined) return undefined
  const { status, delivery } = output
  return {
    ...(typeof status === 'string' && { status }),
    ...(typeof delivery === 'string' && { delivery }),
  }
}
