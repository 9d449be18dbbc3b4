/** What of a statement lies in files (O-13): without it, money that moved there would look as if it had come from nowhere, or gone. */
import { type Static, Type } from 'typebox'
import { type Carried, readCarried } from '../ledger/carried.ts'
import { CurrencySchema } from '../protocol/bet-request.ts'
import type { Currency, PlayerId } from '../protocol/ids.ts'
import { SIGNED_DECIMAL_PATTERN } from '../protocol/money.ts'
import { transferId } from './movement.ts'
import { type OperatorDeps, show } from './operator.ts'

export const ArchivedSchema = Type.Object({
  currency: CurrencySchema,
  transferId: Type.String({
    description: 'The last transfer in the last of these files: it and all before it are in none but files.',
  }),
  at: Type.String({ format: 'date-time', description: 'When that one was made.' }),
  balance: Type.String({
    pattern: SIGNED_DECIMAL_PATTERN,
    description: 'After that one: what the list begins with, where it has transfers after it.',
  }),
  files: Type.Array(Type.Object({ file: Type.String(), account: Type.Integer() }), {
    description:
      'Those that can have transfers of the time asked for, and which of their accounts it is: files name no player.',
  }),
})
export type Archived = Static<typeof ArchivedSchema>

interface Asked {
  readonly currencies: readonly Currency[]
  readonly from?: Date
  readonly to?: Date
}

/** Of each account that has transfers of the time in files. To be read behind what is not in files: what goes meanwhile is told by both. */
export async function readArchived(
  deps: OperatorDeps,
  bucket: number,
  player: PlayerId,
  { currencies, from, to }: Asked,
): Promise<Archived[]> {
  const carried = await readCarried(deps.db.people, bucket, player)
  return currencies.flatMap((currency) => {
    const own = carried.filter((one) => one.currency === currency)
    const asked = own.filter(({ at }, i) => (from === undefined || from <= at) && beginsBefore(own[i - 1], to))
    const last = asked.at(-1)
    if (last === undefined) return []
    return {
      ...{ currency, transferId: transferId(currency, last.version), at: last.at.toISOString() },
      balance: show(deps, last.balance, currency),
      files: asked.map(({ file, place }) => ({ file, account: place })),
    }
  })
}

/** Of the first one nobody knows when it begins. */
function beginsBefore(before: Carried | undefined, to: Date | undefined): boolean {
  return before === undefined || to === undefined || before.at < to
}

/** Characters: a cell of a spreadsheet ends at 32,767, and there is a sentence around the names. */
const MAX_NAMES = 32_000

/** For people, the last ones where they are too many for a cell: as JSON all are named. */
export function sayFiles({ files }: Pick<Archived, 'files'>): string {
  const names = files.map(({ file, account }) => `${file} (account ${account})`)
  let room = MAX_NAMES
  const named = names.toReversed().filter((name) => {
    room -= name.length + 2
    return room >= 0
  })
  const older = names.length - named.length
  const rest = older === 0 ? [] : [`${older} older files (named in the statement as JSON)`]
  return [...rest, ...named.toReversed()].join(', ')
}
