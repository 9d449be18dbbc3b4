/**
 * What platform and gateway look at each second though nothing may have happened: as long as nothing is written, its database says what it has said
 * before, and need not be asked. A long market is mostly such looks. Sound because a database here has one connection, and the
 * statements know no clock. Each run that is played twice is played once without, and must come to the same.
 */
import type { Row, Statement } from '../../../server/core/database/db.ts'

/** By name: what of the values counts. */
const READS: Readonly<Record<string, (values: readonly unknown[]) => string>> = {
  platform_held_claims: ([placementsFrom]) => `${placementsFrom}`,
  platform_pending_results: () => '',
  gateway_read_operators: (values) => JSON.stringify(values),
  platform_read_partners: (values) => JSON.stringify(values),
  /** From when on counts only where a mark is later: the look begins at the earlier one. */
  platform_next_due: ([marks, since, quarantined]) =>
    `${marks} ${isAfterMarks(marks, since) ? 'behind all' : since} ${quarantined}`,
}

/** What a statement has in it that may write: a word of SQL, or a function of ours. All others only read, as audits do. */
const MAY_WRITE = /\b(insert|update|delete|merge|truncate|nextval|setval)\b|\b(purser|platform|gateway)\.\w+\s*\(/i

function isAfterMarks(marks: unknown, since: unknown): boolean {
  const places = Object.values(JSON.parse(`${marks}`)) as [dueAt: string, id: string][]
  return places.every(([dueAt]) => new Date(dueAt.replace(/\+00$/, 'Z')) < (since as Date))
}

/** Switched off for comparison. */
export const idleReadSwitch = { areKept: true }

export interface IdleReadCache {
  /** What was read since something was written; undefined: it is to be asked. */
  lookUp(statement: Statement, values: readonly unknown[]): Row[] | undefined
  /** It was asked. */
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
