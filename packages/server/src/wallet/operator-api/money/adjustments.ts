/**
 * Manual corrections of a balance (O-2, W-23), up or down, each with a reason and a person.
 *
 * They are possible for blocked and self-excluded players too, because they correct errors. The
 * player's daily limits do not count them. Above an amount a second person must approve (W-27).
 */

import { CurrencySchema } from '@purser/protocol/bet-request'
import type { BetId } from '@purser/protocol/wire-ids'
import { type Static, Type } from 'typebox'
import { PERSON_HEADER } from '../../../core/auth/audit-log/audit-headers.ts'
import type { Actor } from '../../../core/auth/audit-log/audit-log.ts'
import { statement, type Tx } from '../../../core/database/db.ts'
import { invalid } from '../../../core/http/api/problem-details.ts'
import { toBetId } from '../bets/bet-detail.ts'
import { type LocatedPlayer, type OperatorDeps, toCurrency, toSignedAmount, withPlayer } from '../operator-context.ts'
import { StoredBetIdSchema } from '../operator-schemas.ts'
import { readProposal } from './adjustment-proposal-store.ts'
import { type ProposalSchema, proposeAdjustment, repeatProposal } from './adjustment-proposals.ts'
import { type Correction, findMovement, type MovementSchema, makeMovement, ReferenceSchema } from './cash-movement.ts'
import { type ApproveAbove, needsApprovalToday, toApprovalActor } from './dual-approval.ts'

const MAX_REASON = 500

export const AdjustmentSchema = Type.Object(
  {
    currency: CurrencySchema,
    amount: Type.String({
      pattern: '^-?\\d{1,18}(\\.\\d{1,12})?$',
      description: 'The signed amount: "5.00" credits the player, "-5.00" debits the player.',
    }),
    reference: ReferenceSchema,
    reason: Type.String({
      pattern: '\\S',
      maxLength: MAX_REASON,
      description: 'The reason, as the statement will show it.',
    }),
    person: Type.Optional(
      Type.String({
        pattern: '\\S',
        maxLength: 128,
        description: `The name or your id of the person who decided it. The default is the header ${PERSON_HEADER}, then the name of the key.`,
      }),
    ),
    ticket: Type.Optional(Type.String({ pattern: '\\S', maxLength: 128, description: 'The ticket of the request.' })),
    transactionId: Type.Optional({
      ...StoredBetIdSchema,
      description: "The player's bet that the adjustment corrects. The bet itself does not change.",
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
type AdjustmentBody = Static<typeof AdjustmentSchema>

/** `proposed`: stored until a second person approves. */
export type AdjustmentResult =
  | { readonly kind: 'made'; readonly receipt: Static<typeof MovementSchema> }
  | { readonly kind: 'proposed'; readonly proposal: Static<typeof ProposalSchema> }

export interface AdjustmentDeps extends OperatorDeps {
  readonly approveAbove: ApproveAbove
}

export function adjustBalance(
  deps: AdjustmentDeps,
  author: Actor,
  userId: string,
  body: AdjustmentBody,
): Promise<AdjustmentResult> {
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
    if (await needsApprovalToday(tx, deps, { keyName, currency, change, at: deps.clock.now() }))
      return { kind: 'proposed', proposal: await proposeAdjustment(deps, author, tx, located, movement) }
    return { kind: 'made', receipt: await makeMovement(deps, author, tx, located, movement, {}) }
  })
}

function toCorrection({ reason, ticket, transactionId }: AdjustmentBody, author: Actor): Correction {
  const { person } = toApprovalActor(author)
  const betId = transactionId === undefined ? null : toBetId(transactionId)
  return { reason, person, ticket: ticket ?? null, betId }
}

const FIND_BET = statement(
  'operator_find_bet',
  'select 1 from purser.bet where bucket = $1::int and bet_id = $2::text and player = $3::text',
)

async function requireBet(tx: Tx, { player, bucket }: LocatedPlayer, betId: BetId): Promise<void> {
  const found = await tx.query(FIND_BET, [bucket, betId, player.id])
  if (found.length === 0) throw invalid('/transactionId', 'is no bet of this player')
}
