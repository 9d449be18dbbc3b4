/** Driver that passes each request to a command of the user (a hook), as JSON on stdin. */
import { spawn } from 'node:child_process'
import { parseJsonObject } from '@purser/protocol/values/exact-json'
import {
  DRIVER_TIMEOUT_MS,
  type DriverRequest,
  type DriverResult,
  driverFault,
  driverUnable,
  type PlatformDriver,
  type ReportedBetState,
} from './platform-driver.ts'

/** Exit code of a hook that does not support the request. The case is then not judged. */
export const EXIT_HOOK_UNABLE = 3
/** Characters. */
const MAX_OUTPUT = 64 * 1024

export function createHookDriver(command: string): PlatformDriver {
  return (driverRequest) => runHook(command, driverRequest)
}

/** `restart` has its own command. */
export function withRestartCommand(drive: PlatformDriver, command: string): PlatformDriver {
  return (driverRequest) => (driverRequest.do === 'restart' ? runHook(command, driverRequest) : drive(driverRequest))
}

/** The time-out kills the whole process group of the command. */
function runHook(command: string, driverRequest: DriverRequest): Promise<DriverResult> {
  const child = spawn(command, { shell: true, detached: true, stdio: ['pipe', 'pipe', 'pipe'] })
  const output = { stdout: '', stderr: '' }
  for (const name of ['stdout', 'stderr'] as const) {
    child[name].setEncoding('utf8').on('data', (text: string) => {
      output[name] = (output[name] + text).slice(0, MAX_OUTPUT)
    })
  }
  child.stdin.on('error', () => {}) // the command may end without reading
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
    // the group has ended in the meantime
  }
}

function parseHookResult(code: number | null, { stdout, stderr }: { stdout: string; stderr: string }): DriverResult {
  if (code === EXIT_HOOK_UNABLE) return driverUnable(stderr.trim() || 'the command cannot do this')
  if (code !== 0) return driverFault(`the command ended with ${code}: ${stderr.trim().slice(0, 300)}`)
  const betState = parseBetState(stdout)
  return { kind: 'done', ...(betState && { shownState: betState }) }
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
