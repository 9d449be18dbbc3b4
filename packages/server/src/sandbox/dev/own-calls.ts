/**
 * Calls that `purser dev` signs and sends itself: balances, and calls that the platform never
 * sends, such as a wrong signature. They pass the same proxy as the platform's calls.
 */
import { randomUUID } from 'node:crypto'
import { type CaseBalances, resolveAmount } from '@purser/conformance/wallet/case/amount-resolution'
import { buildSignedRequest, createUnknownToken } from '@purser/conformance/wallet/case/signed-request'
import { balanceStep } from '@purser/conformance/wallet/case/step-builders'
import type { CallStep } from '@purser/conformance/wallet/case/wallet-case'
import type { PlannedRequest } from '@purser/conformance/wallet/play/request-sender'
import { request } from 'undici'
import type { LiveCall } from '../wire/live-call-log.ts'
import type { DevPlayer } from './players/dev-player.ts'

export interface OwnCalls {
  /** Builds the call as the conformance kit does. */
  build(player: DevPlayer, step: CallStep, betId: string): PlannedRequest
  /** Resolves after the answer, or after a failure. */
  send(planned: PlannedRequest): Promise<void>
  /** Sends the bytes of an earlier call again. */
  resend(call: LiveCall): Promise<void>
  readBalance(player: DevPlayer): Promise<void>
}

export interface OwnCallsOptions {
  /** The proxy in front of the wallet. */
  readonly proxyUrl: string
  readonly walletUrl: string
  readonly secret: string
  /** From now on no call with this token may succeed. */
  addDeadToken(token: string): void
}

/** Milliseconds; a trouble may delay an answer past the platform's 5 s. */
const TIMEOUT_MS = 40_000

export function createOwnCalls({ proxyUrl, walletUrl, secret, addDeadToken }: OwnCallsOptions): OwnCalls {
  const build: OwnCalls['build'] = (player, step, betId) => {
    const { userId, operatorUser, currency, scale } = player
    const account = { currency, scale }
    const text = step.amount === undefined ? undefined : resolveAmount(step.amount, toBalances(player), scale).text
    const token = chooseToken(player, step)
    if (token !== undefined && token !== player.token) addDeadToken(token)
    const parts = { requestId: randomUUID(), betId, userId, operatorUser, token, account, amount: text }
    return buildSignedRequest(step, parts, secret)
  }
  const send: OwnCalls['send'] = async ({ method, path, headers, body }) => {
    const timeouts = { headersTimeout: TIMEOUT_MS, bodyTimeout: TIMEOUT_MS }
    const sent = { method: method as 'POST', headers: { ...headers }, body, ...timeouts }
    // The log has the answer, or the reason of the failure.
    await request(proxyUrl + path, sent)
      .then(({ body: answer }) => answer.dump())
      .catch(() => {})
  }
  return {
    ...{ build, send },
    async resend({ request: sent }) {
      if (sent === undefined) return
      const path = sent.url.slice(walletUrl.replace(/\/+$/, '').length)
      await send({ method: sent.method, path, headers: sent.headers, body: sent.body })
    },
    readBalance: (player) => send(build(player, balanceStep(), randomUUID())),
  }
}

function toBalances({ balance = 0n }: DevPlayer): CaseBalances {
  return { now: balance, stated: balance }
}

function chooseToken({ token, deadToken }: DevPlayer, step: CallStep): string | undefined {
  switch (step.token) {
    case 'none':
      return undefined
    case 'dead':
    case 'old':
      return deadToken ?? createUnknownToken()
    case 'unknown':
    case 'of B':
      return createUnknownToken()
    case 'live':
    case 'of A':
      return token
    default:
      return step.token satisfies never
  }
}
