// CPU time of processes from Linux's /proc; unknown on other systems. Unlike bets per second, it is
// nearly the same on a busy machine. Cores ÷ CPU time per bet is the highest possible rate.
import { readdirSync, readFileSync } from 'node:fs'

/**
 * CPU seconds of a process, its threads and its ended children; 0 when the process does not exist.
 */
export function readProcessSeconds(pid: number): number {
  const [, userTicks = 0, systemTicks = 0, endedUserTicks = 0, endedSystemTicks = 0] = statOf(pid)
  return (userTicks + systemTicks + endedUserTicks + endedSystemTicks) / TICKS_PER_SECOND
}

/** The same for a process and its children. */
export function readFamilySeconds(parent: number): number {
  return [parent, ...childrenOf(parent)].reduce((sum, pid) => sum + readProcessSeconds(pid), 0)
}

export function readParent(pid: number): number {
  return statOf(pid)[0] ?? 0
}

const TICKS_PER_SECOND = 100

function childrenOf(parent: number): number[] {
  const pids = readdirSync('/proc').filter((name) => /^\d+$/.test(name))
  return pids.map((name) => Math.trunc(+name)).filter((pid) => readParent(pid) === parent)
}

/**
 * Parent and four tick counts: the fields of proc(5) after the name, which may contain spaces and
 * brackets.
 */
function statOf(pid: number): number[] {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, 'utf8')
    const fields = text.slice(text.lastIndexOf(')') + 2).split(' ')
    return [1, 11, 12, 13, 14].map((at) => Math.trunc(+(fields[at] ?? 0)))
  } catch {
    return []
  }
}

export const isKnown = process.platform === 'linux'
