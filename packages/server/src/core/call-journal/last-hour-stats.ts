/**
 * Call statistics of the last hour as the APIs return them: in total, and by platform or partner.
 */

import { groupBy } from '@purser/runtime/group'
import { type Static, Type } from 'typebox'
import type { CallJournal } from './call-journal.ts'
import {
  CALL_STATS_RESULTS,
  type CallStats,
  type CallStatsMinute,
  HISTOGRAM_BOUNDS_MS,
  MINUTE_MS,
  SHOWN_MINUTES,
  startOfMinute,
} from './call-stats.ts'

/** The outcome of code 100: the result is unknown. */
const FAILED_OUTCOME = 'system_error'
/** The name for calls without a valid signature; no platform can have it. */
export const UNVERIFIED_PARTY = '?'

const count = Type.Integer({ minimum: 0 })
const time = Type.String({ format: 'date-time' })
const counts = {
  at: { ...time, description: 'The start of the minute.' },
  accepted: count,
  refused: { ...count, description: 'Calls that were answered with a rejection code.' },
  failed: { ...count, description: 'Calls without a clear answer: the wallet failed or did not answer in time.' },
}
const CountsSchema = Type.Object(counts)
const MinuteSchema = Type.Object({
  ...counts,
  p99Ms: {
    ...count,
    description:
      'The approximate 99th percentile of the duration in milliseconds. The value 10000 means 10 s or longer.',
  },
})
export const LastHourSchema = Type.Object({
  from: { ...time, description: 'The first minute of the hour.' },
  to: { ...time, description: 'The current minute.' },
  minutes: Type.Array(MinuteSchema, { description: 'The minutes that had calls, oldest first.' }),
  parties: Type.Array(
    Type.Object({
      name: Type.String({ description: 'The platform or partner. An empty name is the default platform (W-43).' }),
      isKnown: Type.Boolean({ description: 'False for calls whose signature matched no secret.' }),
      minutes: Type.Array(CountsSchema),
    }),
    { description: 'The platforms or partners that had calls, by name.' },
  ),
})

/** Counts every call, even if the journal omits it. */
export function withCallStats(journal: CallJournal, callStats: Pick<CallStats, 'add'>): CallJournal {
  return {
    isOn: true,
    add(call) {
      const { secret, platform = '', status, outcome, ageMs } = call
      const result = status === 200 ? 'accepted' : outcome === FAILED_OUTCOME ? 'failed' : 'refused'
      callStats.add(secret === undefined ? UNVERIFIED_PARTY : platform, result, ageMs)
      journal.add(call)
    },
    lost: journal.lost,
    stop: journal.stop,
  }
}

export async function readLastHour(callStats: CallStats, now: Date): Promise<Static<typeof LastHourSchema>> {
  const rows = await callStats.read()
  const to = startOfMinute(now)
  const byTime = [...groupBy(rows, ({ at }) => at)].sort(([a], [b]) => a - b)
  const byName = [...groupBy(rows, ({ name }) => name)].sort(([a], [b]) => (a < b ? -1 : 1))
  return {
    from: new Date(to - SHOWN_MINUTES * MINUTE_MS).toISOString(),
    to: new Date(to).toISOString(),
    minutes: byTime.map(([, some]) => sumMinute(some)),
    parties: byName.map(([name, some]) => ({
      ...{ name: name === UNVERIFIED_PARTY ? '' : name, isKnown: name !== UNVERIFIED_PARTY },
      minutes: [...some].sort((a, b) => a.at - b.at).map(toCounts),
    })),
  }
}

function toCounts({ at, accepted, refused, failed }: CallStatsMinute): Static<typeof CountsSchema> {
  return { at: new Date(at).toISOString(), accepted, refused, failed }
}

function sumMinute(rows: readonly CallStatsMinute[]): Static<typeof MinuteSchema> {
  const sum = (of: (row: CallStatsMinute) => number) => rows.reduce((total, row) => total + of(row), 0)
  const [accepted = 0, refused = 0, failed = 0] = CALL_STATS_RESULTS.map((result) => sum((row) => row[result]))
  const durations = Array.from({ length: HISTOGRAM_BOUNDS_MS.length + 1 }, (_, edge) =>
    sum((row) => row.durations[edge] ?? 0),
  )
  const at = new Date(rows[0]?.at ?? 0).toISOString()
  return { at, accepted, refused, failed, p99Ms: percentile(durations) }
}

/** The percentile interpolates evenly within a range. Above the last bound it is that bound. */
const PERCENT = 99

function percentile(durations: readonly number[]): number {
  const target = PERCENT * durations.reduce((sum, calls) => sum + calls, 0)
  let before = 0
  for (const [edge, calls] of durations.entries()) {
    const [least, most] = [HISTOGRAM_BOUNDS_MS[edge - 1] ?? 0, HISTOGRAM_BOUNDS_MS[edge]]
    if (most === undefined) break
    const inside = target - 100 * before
    if (calls > 0 && inside <= 100 * calls) return least + Math.trunc((inside * (most - least)) / (100 * calls))
    before += calls
  }
  return HISTOGRAM_BOUNDS_MS.at(-1) ?? 0
}
