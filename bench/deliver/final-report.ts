// Measures cost and final (final.ts) of each build in turn, and formats the result.

import { startBenchPostgres } from '../postgres.ts'
import { computeMedian } from '../report.ts'
import { type Cost, type Final, measureCost, measureFinal } from './final.ts'
import type { DeliverOptions } from './options.ts'

export interface FinalResult {
  costs: (Cost & { main: string })[]
  finals: (Final & { main: string })[]
}

/** Builds are interleaved, so that other work on the machine slows all alike. */
export async function benchFinal({ cost, final, rounds, mains }: DeliverOptions): Promise<FinalResult> {
  const postgres = await startBenchPostgres()
  const result: FinalResult = { costs: [], finals: [] }
  try {
    for (let round = 0; round < rounds; round++)
      for (const main of mains) {
        if (cost !== undefined) result.costs.push({ main, ...(await measureCost(postgres, main, cost)) })
        if (final !== undefined) result.finals.push({ main, ...(await measureFinal(postgres, main, final)) })
      }
    return result
  } finally {
    await postgres.stop()
  }
}

export function formatFinalReport({ costs, finals }: FinalResult): string {
  const lines = [...groups(costs)].flatMap(([main, of]) => {
    const middle = (pick: (cost: Cost) => number) => whole(computeMedian(of.map(pick)))
    const rate = `${middle((c) => c.settlesPerSecond)} settles/s`
    const time = `${middle((c) => c.platformUs)} µs of platform and ${middle((c) => c.postgresUs)} µs of Postgres`
    return [`cost   ${rate}, ${time} and ${middle((c) => c.walBytes)} bytes of WAL per settle   ${main}`]
  })
  const others = finals.map(({ main, rollbacks: { count, p50, p99, max }, ...of }) => {
    const times = `first settle after ${of.firstSettleMs} ms, last after ${whole(of.lastSettleMs / 1_000)} s (${whole(of.settlesPerSecond)}/s)`
    const spent = `${whole(of.platformUs)} µs of platform and ${whole(of.postgresUs)} µs of Postgres per settle`
    return `final  ${times}, ${spent}; ${count} rollbacks of the other: p50 ${p50}, p99 ${p99}, max ${max} ms   ${main}`
  })
  const faults = [...costs, ...finals].flatMap((one) => one.faults.map((fault) => `SHORT: ${fault}   ${one.main}`))
  return [...lines, ...others, ...faults, ''].join('\n')
}

function groups(costs: FinalResult['costs']): Map<string, Cost[]> {
  const byMain = new Map<string, Cost[]>()
  for (const cost of costs) byMain.set(cost.main, [...(byMain.get(cost.main) ?? []), cost])
  return byMain
}

const whole = (value: number) => value.toLocaleString('en', { maximumFractionDigits: 0 })
