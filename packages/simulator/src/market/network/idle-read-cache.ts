/**
 * A cache for the database reads that platform and gateway repeat each second while nothing
 * happens.
 *
 * A long simulation consists mostly of such reads. An entry is valid until the next write. That is
 * sound: the database has one connection, and these statements read no clock. As a check, a run
 * that is played twice is played once without the cache, and must give the same result.
 */
import type { Row, Statement } from 'purser/core/database/db'

/** The part of the values that affects the result. */
const READS: Readonly<Record<string, (values: readonly unknown[]) => string>> = {
  platform_held_claims: ([placementsFrom]) => `${placementsFrom}`,
  platform_pending_results: () => '',
  gateway_read_operators: (values) => JSON.stringify(values),
  platform_read_partners: (values) => JSON.stringify(values),
  /** The start time matters only if a mark is later: the read begins at the earlier of the two. */
  platform_next_due: ([marks, since, quarantined]) =>
    `${marks} ${isAfterMarks(marks, since) ? 'behind all' : since} ${quarantined}`,
}

/** A keyword or a function that may write. All other statements only read, as audits do. */
const MAY_WRITE = /\b(insert|update|delete|merge|truncate|nextval|setval)\b|\b(purser|platform|gateway)\.\w+\s*\(/i

function isAfterMarks(marks: unknown, since: unknown): boolean {
  const places = Object.values(JSON.parse(`${marks}`)) as [dueAt: string, id: string][]
  return places.every(([dueAt]) => new Date(dueAt.replace(/\+00$/, 'Z')) < (since as Date))
}

/** Off during the run that checks the cache. */
export const idleReadSwitch = { areKept: true }

export interface IdleReadCache {
  /** Undefined if the database must be asked. */
  lookUp(statement: Statement, values: readonly unknown[]): Row[] | undefined
  /** A write clears the cache. */
  store(statement: Statement, values: readonly unknown[], rows: readonly Row[]): void
  invalidate(): void
}

export function createIdleReadCache(): IdleReadCache {
  const read = new Map<string, readonly Row[]>()
  const writing = new Map<string, boolean>()
  const mayWrite = ({ name, text }: Statement) => {
    const may = writing.get(name) ?? MAY_WRITE.test(text)
    writing.set(name, may)
    return may
  }
  const keyOf = ({ name }: Statement, values: readonly unknown[]) => {
    const counts = READS[name]
    return counts && `${name} ${counts(values)}`
  }
  return {
    lookUp(statement, values) {
      const key = idleReadSwitch.areKept ? keyOf(statement, values) : undefined
      return key === undefined ? undefined : read.get(key)?.map((row) => ({ ...row }))
    },
    store(statement, values, rows) {
      const key = keyOf(statement, values)
      if (mayWrite(statement)) read.clear()
      else if (key !== undefined)
        read.set(
          key,
          rows.map((row) => ({ ...row })),
        )
    },
    invalidate: () => read.clear(),
  }
}
