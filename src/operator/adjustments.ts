/**
 * Corrections by hand (O-2, W-23): a kind of transfer of their own, in both directions, each with its reason and the person. Who is
 * blocked or self-excluded gets them too, since they put right what was wrong; limits of a day do not count them. Above an amount a second
 * person approves (W-27).
 */
import { type Static, Type } from 'typebox'
import { statement, type Tx } from '../db/db.ts'
import { invalid } from '../http/problem.ts'
import type { Author } from '../people/actions.ts'
import { PERSON_HEADER } from '../people/person.ts'
import { CurrencySchema } from '../protocol/bet-request.ts'
import type { BetId } from '../protocol/ids.ts'
import { toBetId } from './bets.ts'
import { type Correction, findMovement, type MovementSchema, makeMovement, ReferenceSchema } from './movement.ts'
import { type Located, type OperatorDeps, toCurrency, toSignedAmount, withPlayer } from './operator.ts'
import { readProposal } from './proposal-store.ts'
import { type ProposalSchema, propose, repeatProposal } from './proposals.ts'
import { type ApproveAbove, doerOf, needsSecondToday } from './second-person.ts'
import { BetIdSchema } from './shapes.ts'

const MAX_REASON = 500

export const AdjustmentSchema = Type.Object(
  {
    currency: CurrencySchema,
    amount: Type.String({
      pattern: '^-?\\d{1,18}(\\.\\d{1,12})?$',
      description: 'Signed: "5.00" is given to the player, "-5.00" is taken away.',
    }),
    reference: ReferenceSchema,
    reason: Type.String({
      pattern: '\\S',
      maxLength: MAX_REASON,
      description: 'Why, for whoever reads the statement.',
    }),
    person: Type.Optional(
      Type.String({
        pattern: '\\S',
        maxLength: 128,
        description: `Who decided it: a name or an id of yours. Absent: as the header ${PERSON_HEADER} says, else the name of the key.`,
      }),
    ),
    ticket: Type.Optional(Type.String({ pattern: '\\S', maxLength: 128, description: 'Where it was asked for.' })),
    transactionId: Type.Optional({
      ...BetIdSchema,
      description: "The player's bet that it corrects; the bet stays as it is.",
    }),
  },
  {
    additionalProperties: false,
    examples: [
      {
        currency: 'EUR',
        amount: '-5.00',
        reference: 'corr-17',
        reason: 'paid twice after the outage',
        person: 'maria',
        ticket: 'SUP-4711',
      },
    ],
  },
)
type Wanted = Static<typeof AdjustmentSchema>

/** Made, or written down until a second person has approved it. */
export type Adjusted =
  | { readonly kind: 'made'; readonly receipt: Static<typeof MovementSchema> }
  | { readonly kind: 'proposed'; readonly proposal: Static<typeof ProposalSchema> }

export interface AdjustDeps extends OperatorDeps {
  readonly approveAbove: ApproveAbove
}

export function adjust(deps: AdjustDeps, author: Author, userId: string, body: Wanted): Promise<Adjusted> {
  const currency = toCurrency(deps, body.currency, '/currency')
  const change = toSignedAmount(deps, body.amount, currency, '/amount')
  if (change === 0n) throw invalid('/amount', 'must not be 0')
  const correction = toCorrection(body, author)
  const movement = { kind: 'adjustment', currency, change, reference: body.reference, correction } as const
  return withPlayer(deps, userId, async (tx, located) => {
    const [earlier, proposal] = await Promise.all([
      findMovement(deps, tx, located, movement),
      readProposal(tx, located, movement.reference),
    ])
    if (earlier !== undefined) return { kind: 'made', receipt: earlier }
    if (proposal !== undefined) return { kind: 'proposed', proposal: repeatProposal(deps, proposal, movement) }
    if (correction.betId !== null) await requireBet(tx, located, correction.betId)
    const { keyName } = author
    if (await needsSecondToday(tx, deps, { keyName, currency, change, at: deps.clock.now() }))
      return { kind: 'proposed', proposal: await propose(deps, author, tx, located, movement) }
    return { kind: 'made', receipt: await makeMovement(deps, author, tx, located, movement, {}) }
  })
}

function toCorrection({ reason, ticket, transactionId }: Wanted, author: Author): Correction {
  const { person } = doerOf(author)
  const betId = transactionId === undefined ? null : toBetId(transactionId)
  return { reason, person, ticket: ticket ?? null, betId }
}

const FIND_BET = statement(
  'operator_find_bet',
  'select 1 from purser.bet where bucket = $1::int and bet_id = $2::text and player = $3::text',
)

async function requireBet(tx: Tx, { player, bucket }: Located, betId: BetId): Promise<void> {
  const found = await tx.query(FIND_BET, [bucket, betId, player.id])
  if (found.length === 0) throw invalid('/transactionId', 'is no bet of this player')
}
