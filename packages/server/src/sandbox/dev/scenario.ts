/**
 * A list of steps from a file, in the language of the cases of the conformance kit. The judge of
 * all calls decides, so a step names no permitted answers.
 *
 * A step is a call (`operation`, and the members of CallStep that differ from the defaults),
 * several calls `together`, a `pause`, or `rounds`. Names of bets are local to the file.
 */
import { randomUUID } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { OPERATION_NAMES } from '@purser/conformance/wallet/case/call-name'
import {
  balanceStep,
  type CallOptions,
  checkStep,
  placeStep,
  profileStep,
  rollbackStep,
  settleStep,
  unsettleStep,
} from '@purser/conformance/wallet/case/step-builders'
import type { CallStep } from '@purser/conformance/wallet/case/wallet-case'
import type { PlannedRequest } from '@purser/conformance/wallet/play/request-sender'
import type { Operation } from '@purser/protocol/operation'
import { UsageError } from '@purser/runtime/errors/cli-errors'
import { errorText } from '@purser/runtime/errors/error-text'
import { fileErrorText } from '@purser/runtime/errors/file-error'
import { type Static, Type } from 'typebox'
import { Compile } from 'typebox/compile'
import { sleepUntil } from '../bettors/abortable-wait.ts'
import type { BalanceReads } from './balance-reads.ts'
import type { OwnCalls } from './own-calls.ts'
import type { DevPlayer } from './players/dev-player.ts'
import type { WalletWatch } from './wallet-watch.ts'

/** A misspelt member would silently change the call. */
const STRICT = { additionalProperties: false }
const optional = Type.Optional
const MAX_PAUSE_MS = 3_600_000
const MAX_ROUNDS = 10_000
const name = Type.String({ minLength: 1, maxLength: 40 })

const CallSchema = Type.Object(
  {
    kind: optional(Type.Literal('call')),
    operation: Type.Enum(Object.keys(OPERATION_NAMES) as Operation[]),
    bet: optional(name),
    who: optional(Type.Enum(['A', 'B'])),
    token: optional(Type.Enum(['live', 'dead', 'unknown', 'none'])),
    /** Major units as on the wire, or a part of the balance. */
    amount: optional(
      Type.Union([
        Type.String({ pattern: '^[-+0-9.eE]{1,40}$' }),
        Type.Object({ percent: Type.Integer(), plusUnits: optional(Type.Integer()) }, STRICT),
      ]),
    ),
    resultType: optional(Type.String()),
    members: optional(Type.Record(Type.String(), Type.Unknown())),
    signature: optional(
      Type.Enum(['valid', 'other spelling', 'absent', 'garbage', 'wrong secret', 'of another body', 'alg none']),
    ),
    spelling: optional(Type.Enum(['compact', 'reordered', 'spaced', 'escaped'])),
    /** A name for `bytesOf` of a later call. */
    named: optional(name),
    /** Sends the bytes of the named call again. */
    bytesOf: optional(name),
  },
  STRICT,
)
const TogetherSchema = Type.Object({ kind: Type.Literal('together'), calls: Type.Array(CallSchema) }, STRICT)
const PauseSchema = Type.Object(
  { kind: Type.Literal('pause'), ms: Type.Integer({ minimum: 0, maximum: MAX_PAUSE_MS }) },
  STRICT,
)
const PlainStepSchema = Type.Union([CallSchema, TogetherSchema, PauseSchema])
const RoundsSchema = Type.Object(
  {
    kind: Type.Literal('rounds'),
    times: Type.Integer({ minimum: 1, maximum: MAX_ROUNDS }),
    steps: Type.Array(PlainStepSchema),
  },
  STRICT,
)

type ScenarioCall = Static<typeof CallSchema>
type PlainStep = Static<typeof PlainStepSchema>
export type ScenarioStep = PlainStep | Static<typeof RoundsSchema>

const CHECKS = {
  call: Compile(CallSchema),
  together: Compile(TogetherSchema),
  pause: Compile(PauseSchema),
  rounds: Compile(RoundsSchema),
} as const

/** Throws UsageError with every fault. */
export function readScenario(file: string): readonly ScenarioStep[] {
  let steps: unknown
  try {
    steps = JSON.parse(readFileSync(file, 'utf8'))
  } catch (error) {
    throw new UsageError(
      error instanceof SyntaxError
        ? `--scenario: ${file} is not JSON: ${errorText(error)}`
        : `--scenario: ${fileErrorText(error)}`,
    )
  }
  if (!Array.isArray(steps))
    throw new UsageError(`--scenario: ${file} must be a list of steps: [{"operation": "place"}]`)
  const problems = steps.flatMap((step: unknown, i) => findStepFaults(step).map((fault) => `  step ${i + 1}${fault}`))
  if (problems.length > 0) throw new UsageError(`the scenario is not valid:\n${problems.join('\n')}`)
  return steps
}

function findStepFaults(step: unknown): string[] {
  const kind = (step as { kind?: string } | null)?.kind ?? 'call'
  if (!Object.hasOwn(CHECKS, kind)) return [`: there is no kind "${kind}"; a step is a call, together, pause or rounds`]
  const check = CHECKS[kind as keyof typeof CHECKS]
  if (check.Check(step)) return []
  return check
    .Errors(step)
    .flatMap(({ keyword, instancePath, message }) =>
      keyword === 'additionalProperties' ? [] : [`${instancePath} ${keyword === 'boolean' ? 'is unknown' : message}`],
    )
}

export interface ScenarioDeps {
  readonly ownCalls: OwnCalls
  readonly watch: WalletWatch
  readonly balances: BalanceReads
  /** A is the first player, B the second. */
  readonly players: readonly DevPlayer[]
  readonly signal: AbortSignal
}

/** The names of a round. */
interface ScenarioNames {
  readonly bets: Map<string, string>
  readonly stakes: Map<string, CallOptions['amount']>
  readonly sent: Map<string, PlannedRequest>
}

/** Ends early at the signal. */
export async function playScenario(steps: readonly ScenarioStep[], deps: ScenarioDeps): Promise<void> {
  const names = createNames()
  for (const step of steps) {
    if (step.kind !== 'rounds') await playStep(step, names, deps)
    else
      for (let round = 0; round < step.times; round++) {
        const ofRound = createNames()
        for (const one of step.steps) await playStep(one, ofRound, deps)
      }
  }
}

function createNames(): ScenarioNames {
  return { bets: new Map(), stakes: new Map(), sent: new Map() }
}

async function playStep(step: PlainStep, names: ScenarioNames, deps: ScenarioDeps): Promise<void> {
  const { signal, watch, balances, players, ownCalls } = deps
  if (signal.aborted) return
  if (step.kind === 'pause') return sleepUntil(Date.now() + step.ms, signal)
  await watch.whenUp(signal)
  const calls = step.kind === 'together' ? step.calls : [step]
  const planned = calls.map((call) => planScenarioCall(call, names, deps))
  await Promise.all(planned.map((one) => ownCalls.send(one)))
  for (const player of players) await balances.settled(player)
}

function planScenarioCall(
  call: ScenarioCall,
  names: ScenarioNames,
  { players, ownCalls }: ScenarioDeps,
): PlannedRequest {
  const { bet = 'X', who = 'A', named, bytesOf } = call
  const player = players[who === 'A' ? 0 : 1]
  if (player === undefined) throw new UsageError('the scenario uses player B: give a second --token')
  const betId = names.bets.get(bet) ?? randomUUID()
  names.bets.set(bet, betId)
  const step = toCallStep(call, names)
  if (call.operation === 'place') names.stakes.set(bet, step.amount)
  const again = names.sent.get(bytesOf ?? '')
  if (bytesOf !== undefined && again === undefined)
    throw new UsageError(`the scenario repeats the bytes of "${bytesOf}", which no earlier call is named`)
  const planned = again ?? ownCalls.build(player, step, betId)
  if (named !== undefined) names.sent.set(named, planned)
  return planned
}

/** Default amount of a Rollback: the stake. */
function toCallStep(
  { kind: _, operation, amount: given, resultType = 'won', ...call }: ScenarioCall,
  names: ScenarioNames,
): CallStep {
  const amount = typeof given === 'object' ? { percent: given.percent, plusUnits: given.plusUnits ?? 0 } : given
  const options: CallOptions = { ...call, ...(amount !== undefined && { amount }) }
  switch (operation) {
    case 'place':
      return placeStep({ amount: '10', ...options })
    case 'settle':
      return settleStep(resultType, amount ?? (resultType === 'lost' ? '0' : '10'), options)
    case 'unsettle':
      return unsettleStep(amount ?? '10', options)
    case 'rollback':
      return rollbackStep({ amount: names.stakes.get(call.bet ?? 'X') ?? '10', ...options })
    case 'profile':
      return profileStep(options)
    case 'balance':
      return balanceStep(options)
    case 'check':
      return checkStep(options)
    default:
      return operation satisfies never
  }
}
