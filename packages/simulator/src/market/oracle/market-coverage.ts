/**
 * The situations that a series of runs must reach, because faults were found in such situations
 * before.
 *
 * They are recognised in answers and SQL statements, so the product has no code for them.
 */

import { parseBetOperation } from '@purser/protocol/operation'
import { REPLY_CODES, replyCode } from '@purser/protocol/reply-codes'
import type { Db, Statement, Tx } from 'purser/core/database/db'
import type { CircuitBreakers } from 'purser/platform/circuit-breaker'
import type { PartyName } from '../actors/party-names.ts'
import { isSystemErrorReply, parseRefusal } from '../actors/reply-parsing.ts'
import type { NetworkAnswer, NetworkRequest } from '../network/simulated-network.ts'
import type { Trace } from '../trace.ts'

export const STATEMENT_MARKS: Readonly<Record<string, string>> = {
  platform_release: 'a claim of a process that died is taken over',
  platform_promote: 'a delivery that waited for another one goes on',
  lock_bets: 'the fast path left a call to the rules path',
}

/** Including the faults of the network and the deaths. */
export const NIGHT_COVERAGE: readonly string[] = [
  ...Object.values(STATEMENT_MARKS),
  ...['a tombstone is left', 'a tombstone is met', 'a cashout is refused and taken back', 'a cashout is paid'],
  ...['a result is refused by a lock', 'a Place bet is refused for want of money'],
  ...['a call is answered as it was before', 'a breaker opens', 'a breaker closes', 'a call fails inside'],
  ...['at a statement', 'behind a COMMIT'].map((where) => `a database fails ${where}`),
  ...['a clock is set forward', 'a clock is set back', 'a day ends', 'a month ends'],
  ...['what a backup has lost is named', 'a process does not begin with another scale'],
  ...['dies', 'lives on'].map((how) => `a backup is put back while things go wrong, and the process ${how}`),
  ...['what a backup has lost is named at once', 'a balance is asked for', 'a bet is asked for'],
  ...['wallet begins: the fast path is off', 'platform begins: few calls at once'],
  ...['the books are audited behind a step'],
  ...['a limit of a day refuses a Place bet', 'a blocked player is refused', 'an ended token is refused'],
  ...['a correction is refused for want of money', 'a bet with a bonus is taken', 'a currency is switched'],
  ...['a result is applied', 'a bet is accepted', 'a bet of another platform is accepted', 'two platforms use one id'],
  ...['cashout', 'settle', 'unsettle', 'cancel'].map((action) => `by hand: ${action}`),
  ...['wallet', 'gateway', 'platform'].flatMap((party) =>
    ['now', 'behind a step', 'at a statement', 'behind a COMMIT'].map((when) => `${party} dies ${when}`),
  ),
  ...['lost', 'refused', 'its answer lost', 'broken behind its effect', 'twice', 'twice, once late', 'late'].map(
    ofNetwork,
  ),
  ...[
    'very late',
    'past a minute',
    'its answer late',
    'its answer cut',
    '400 without it',
    '502 without it',
    '502 beside it',
    'partition',
  ].map(ofNetwork),
]

const PLACE_REFUSED: Readonly<Record<number, string>> = {
  [REPLY_CODES.expired_token.code]: 'an ended token is refused',
  [REPLY_CODES.not_enough_money.code]: 'a Place bet is refused for want of money',
  [REPLY_CODES.player_blocked.code]: 'a blocked player is refused',
  [REPLY_CODES.stake_limit.code]: 'a limit of a day refuses a Place bet',
  [REPLY_CODES.bet_count_limit.code]: 'a limit of a day refuses a Place bet',
}

function ofNetwork(fault: string): string {
  return `network: ${fault}`
}

/** A statement counts if it read or wrote a row. */
export function markStatements(db: Db, trace: Trace): Db {
  const markRows = ({ name }: Statement, rows: number) => {
    const mark = STATEMENT_MARKS[name]
    if (mark !== undefined && rows > 0) trace.mark(mark)
  }
  const txOf = (tx: Tx): Tx => ({
    query: (async (statement: Statement, values?: readonly unknown[]) => {
      const rows = await tx.query(statement, values)
      markRows(statement, rows.length)
      return rows
    }) as Tx['query'],
    async execute(statement, values) {
      const written = await tx.execute(statement, values)
      markRows(statement, written)
      return written
    },
    finish: (send) => tx.finish(send),
  })
  return { ...db, transaction: (work) => db.transaction((tx) => work(txOf(tx))) }
}

/** Called for each answer of a wallet as it leaves. */
export function watchAnswers(trace: Trace): (request: NetworkRequest, answer: NetworkAnswer) => void {
  const placed = new Set<string>()
  const tombs = new Set<string>()
  const answered = new Map<string, string>()
  return ({ method, path, body }, answer) => {
    if (path !== '/payment/bet') return
    const { transactionId, type, resultType, bonusId } = JSON.parse(body.toString('utf8')) as Record<string, unknown>
    const [bet, text, sent] = [`${transactionId}`, answer.body.toString('utf8'), `${method} ${body.toString('utf8')}`]
    const code = parseRefusal(answer)
    const operation = parseBetOperation(method, type)
    const [isPlace, isRollback] = [operation === 'place', operation === 'rollback']
    if (answer.status >= 500 || isSystemErrorReply(answer)) trace.mark('a call fails inside')
    else if (answered.get(sent) === text) trace.mark('a call is answered as it was before')
    answered.set(sent, text)
    if (answer.status === 200 && isPlace) {
      placed.add(bet)
      trace.mark('a Place bet is taken')
    }
    if (isPlace && isSystemErrorReply(answer)) trace.mark('a Place bet fails inside')
    const hasBonus = isPlace && typeof bonusId === 'number' && bonusId > 0
    if (hasBonus && answer.status === 200) trace.mark('a bet with a bonus is taken')
    if (hasBonus && isSystemErrorReply(answer)) trace.mark('a Place bet with a bonus fails inside')
    if (answer.status === 200 && operation === 'settle') trace.mark('a result is applied')
    if (code === replyCode('recalculation_negative')) trace.mark('a correction is refused for want of money')
    if (answer.status === 200 && isRollback && !placed.has(bet)) {
      tombs.add(bet)
      trace.mark('a tombstone is left')
    }
    if (isPlace && code === replyCode('already_processed') && tombs.has(bet)) trace.mark('a tombstone is met')
    const refused = isPlace ? PLACE_REFUSED[code ?? 0] : undefined
    if (refused !== undefined) trace.mark(refused)
    if (isRollback && code === replyCode('already_processed')) trace.mark('a settled bet is not rolled back')
    if (!isRollback && code === replyCode('recalculation_blocked') && !tombs.has(bet))
      trace.mark('a result is refused by a lock')
    if (resultType === 'cashout')
      trace.mark(
        answer.status === 200
          ? 'a cashout is paid'
          : code !== undefined
            ? 'a cashout is refused and taken back'
            : 'a cashout fails',
      )
  }
}

/** Called after each step. */
export function watchBreakers(trace: Trace): (breakers: CircuitBreakers | undefined) => void {
  let wasDown = false
  return (breakers) => {
    const isDown = [...(breakers?.all() ?? [])].some((breaker) => breaker.state().kind !== 'up')
    if (isDown !== wasDown && breakers !== undefined) trace.mark(isDown ? 'a breaker opens' : 'a breaker closes')
    wasDown = isDown && breakers !== undefined
  }
}

export function noteDeath(trace: Trace, party: PartyName, how: string): void {
  trace.note(`${party} dies ${how}`)
  const when =
    how === 'now' || how === 'behind a step' ? how : how.startsWith('behind') ? 'behind a COMMIT' : 'at a statement'
  trace.mark(`${party} dies ${when}`)
}

export function noteFailure(trace: Trace, party: PartyName, where: string): void {
  trace.note(`the database of the ${party} fails ${where}`)
  trace.mark(`a database fails ${where.startsWith('behind') ? 'behind a COMMIT' : 'at a statement'}`)
}
