/** The operator's own API: routes, authentication, validation, errors. Handlers live beside their stores. */
import { createHash, timingSafeEqual } from 'node:crypto'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { type Static, type TSchema, Type } from 'typebox'
import { Compile } from 'typebox/compile'
import type { Logger } from '../logger.ts'
import { BetIdSchema, UserIdSchema } from '../protocol/bet-request.ts'
import type { Rules } from '../wallet/decide/decision.ts'
import { AuditSchema, audit } from './audit.ts'
import {
  AnomalyListSchema,
  AnomalyQuerySchema,
  BetHistorySchema,
  BetListSchema,
  BetQuerySchema,
  getBet,
  listAnomalies,
  listBets,
  setLock,
} from './bets.ts'
import {
  BalancesSchema,
  CashSchema,
  getBalances,
  getStatement,
  MovementSchema,
  moveCash,
  StatementQuerySchema,
  StatementSchema,
} from './cash.ts'
import type { OperatorDeps } from './operator.ts'
import { createPlayer, getPlayer, NewPlayerSchema, PlayerPatchSchema, PlayerSchema, patchPlayer } from './players.ts'
import { type Fault, notFound, Problem, ProblemSchema, sendProblem, toProblem } from './problem.ts'
import {
  createSession,
  endAllSessions,
  NewSessionSchema,
  SessionSchema,
  SwitchSchema,
  switchCurrency,
} from './sessions.ts'

export interface OperatorServerDeps extends OperatorDeps {
  readonly apiKey: string
  readonly clawback: Rules['clawback']
  readonly log: Logger
}

/** Registers every route of the operator API, encapsulated: its hooks reach no other route. */
export async function registerOperator(app: FastifyInstance, deps: OperatorServerDeps): Promise<void> {
  await app.register(
    async (api) => {
      api.setErrorHandler((error: Parameters<typeof toProblem>[0], request, reply) => {
        const problem = toProblem(error)
        if (problem.status >= 500) deps.log.error({ err: error, requestId: request.id }, 'an operator request failed')
        return sendProblem(reply, problem, request)
      })
      api.setNotFoundHandler((request, reply) => sendProblem(reply, notFound('this path'), request))
      api.setValidatorCompiler(({ schema, httpPart }) => createValidator(schema as TSchema, httpPart ?? 'body'))
      api.setSerializerCompiler(() => (data) => JSON.stringify(data))
      api.addHook('onRequest', async (request, reply) => {
        reply.header('x-request-id', request.id).header('cache-control', 'no-store')
        requireKey(request, deps.apiKey)
      })
      addPlayerRoutes(api, deps)
      addMoneyRoutes(api, deps)
      addBetRoutes(api, deps)
    },
    { prefix: '/operator' },
  )
}

function requireKey(request: FastifyRequest, apiKey: string): void {
  const given = /^Bearer (.+)$/i.exec(request.headers.authorization ?? '')?.[1] ?? ''
  if (!timingSafeEqual(digest(given), digest(apiKey)))
    throw new Problem(401, 'unauthorized', 'send Authorization: Bearer <OPERATOR_API_KEY>')
}

function digest(text: string): Buffer {
  return createHash('sha256').update(text).digest()
}

/** One compiled check per schema; its faults become JSON pointers. */
function createValidator(schema: TSchema, part: string) {
  const validator = Compile(schema)
  const prefix = part === 'body' ? '' : part === 'params' ? '/path' : '/query'
  return (value: unknown): { value?: unknown; error?: Error } => {
    if (validator.Check(value)) return { value }
    const faults = validator.Errors(value).slice(0, 10)
    const errors: Fault[] = faults.map((fault) => ({
      pointer: `${prefix}${fault.instancePath}`,
      detail: fault.message,
    }))
    return { error: new Problem(400, 'invalid_request', 'the request is not valid', errors) }
  }
}

const PlayerPath = Type.Object({ userId: UserIdSchema })
const BetPath = Type.Object({ userId: UserIdSchema, transactionId: BetIdSchema })
type InPlayer = { Params: Static<typeof PlayerPath> }
type InBet = { Params: Static<typeof BetPath> }

/** The parts of a route's schema that every route has. */
function describe<S extends object>(summary: string, tag: string, schema: S, ok: Record<number, TSchema>) {
  const problem = {
    description: 'A problem (RFC 9457).',
    content: { 'application/problem+json': { schema: ProblemSchema } },
  }
  return {
    schema: { summary, tags: [tag], security: [{ operatorKey: [] }], ...schema, response: { ...ok, '4xx': problem } },
  }
}

function addPlayerRoutes(api: FastifyInstance, deps: OperatorDeps): void {
  const players = 'Operator: players'
  api.post<{ Body: Static<typeof NewPlayerSchema> }>(
    '/players',
    describe(
      'Create a player; the same again answers 200',
      players,
      { body: NewPlayerSchema },
      { 200: PlayerSchema, 201: PlayerSchema },
    ),
    async (request, reply) => {
      const { status, body } = await createPlayer(deps, request.body)
      return reply.code(status).send(body)
    },
  )
  api.get<InPlayer>(
    '/players/:userId',
    describe('Read a player', players, { params: PlayerPath }, { 200: PlayerSchema }),
    (request) => getPlayer(deps, request.params.userId),
  )
  api.patch<InPlayer & { Body: Static<typeof PlayerPatchSchema> }>(
    '/players/:userId',
    describe(
      'Block, exclude, verify, limit a player, or change the profile',
      players,
      { params: PlayerPath, body: PlayerPatchSchema },
      { 200: PlayerSchema },
    ),
    (request) => patchPlayer(deps, request.params.userId, request.body),
  )
  api.post<InPlayer & { Body: Static<typeof NewSessionSchema> | undefined }>(
    '/players/:userId/sessions',
    describe(
      'Start a session: a token for the frame',
      players,
      { params: PlayerPath, body: Type.Union([NewSessionSchema, Type.Null(), Type.Undefined()]) },
      { 201: SessionSchema },
    ),
    async (request, reply) =>
      reply.code(201).send(await createSession(deps, request.params.userId, request.body ?? undefined)),
  )
  api.delete<InPlayer>(
    '/players/:userId/sessions',
    describe(
      'End all sessions: their tokens are out of date (code 4)',
      players,
      { params: PlayerPath },
      { 204: Type.Null() },
    ),
    async (request, reply) => {
      await endAllSessions(deps, request.params.userId)
      return reply.code(204).send()
    },
  )
  api.post<InPlayer & { Body: Static<typeof SwitchSchema> }>(
    '/players/:userId/currency',
    describe(
      'Switch the active currency: ends all sessions and starts a new one',
      players,
      { params: PlayerPath, body: SwitchSchema },
      { 200: SessionSchema },
    ),
    (request) => switchCurrency(deps, request.params.userId, request.body),
  )
}

function addMoneyRoutes(api: FastifyInstance, deps: OperatorServerDeps): void {
  const tag = 'Operator: money'
  for (const [path, kind] of [
    ['deposits', 'deposit'],
    ['withdrawals', 'withdrawal'],
  ] as const) {
    api.post<InPlayer & { Body: Static<typeof CashSchema> }>(
      `/players/:userId/${path}`,
      describe(
        `Make a ${kind}, once per reference`,
        tag,
        { params: PlayerPath, body: CashSchema },
        { 201: MovementSchema },
      ),
      async (request, reply) => reply.code(201).send(await moveCash(deps, request.params.userId, kind, request.body)),
    )
  }
  api.get<InPlayer>(
    '/players/:userId/balances',
    describe('Balances in all currencies', tag, { params: PlayerPath }, { 200: BalancesSchema }),
    (request) => getBalances(deps, request.params.userId),
  )
  api.get<InPlayer & { Querystring: Static<typeof StatementQuerySchema> }>(
    '/players/:userId/statement',
    describe(
      "The player's transfers, newest first",
      tag,
      { params: PlayerPath, querystring: StatementQuerySchema },
      { 200: StatementSchema },
    ),
    (request) => getStatement(deps, request.params.userId, request.query),
  )
  api.get(
    '/audit',
    describe('Check every invariant of the ledger and of the bets', tag, {}, { 200: AuditSchema }),
    () => audit(deps.db, deps.clawback),
  )
}

function addBetRoutes(api: FastifyInstance, deps: OperatorDeps): void {
  const tag = 'Operator: bets'
  api.get<{ Querystring: Static<typeof BetQuerySchema> }>(
    '/bets',
    describe('Bets, newest first', tag, { querystring: BetQuerySchema }, { 200: BetListSchema }),
    (request) => listBets(deps, request.query),
  )
  api.get<InBet>(
    '/players/:userId/bets/:transactionId',
    describe('A bet and its whole history', tag, { params: BetPath }, { 200: BetHistorySchema }),
    (request) => getBet(deps, request.params.userId, request.params.transactionId),
  )
  for (const [method, locked] of [
    ['PUT', true],
    ['DELETE', false],
  ] as const) {
    api.route<InBet>({
      method,
      url: '/players/:userId/bets/:transactionId/lock',
      ...describe(
        locked ? "Lock a bet's result: changes answer code 20" : 'Unlock a bet',
        tag,
        { params: BetPath },
        { 204: Type.Null() },
      ),
      handler: async (request, reply) => {
        await setLock(deps, request.params.userId, request.params.transactionId, locked)
        return reply.code(204).send()
      },
    })
  }
  api.get<{ Querystring: Static<typeof AnomalyQuerySchema> }>(
    '/anomalies',
    describe(
      'Calls that contradict a bet, newest first',
      tag,
      { querystring: AnomalyQuerySchema },
      { 200: AnomalyListSchema },
    ),
    (request) => listAnomalies(deps, request.query),
  )
}
