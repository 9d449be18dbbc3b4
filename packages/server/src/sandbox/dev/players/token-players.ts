/**
 * Turns session tokens into players: User data of each token tells the userId and the currency. A
 * problem of this first call is explained, and the call is tried again, because the developer
 * usually repairs the wallet and restarts it.
 */
import { exec } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { promisify } from 'node:util'
import { listFixturePlayers } from '@purser/conformance/wallet/players/fixtures-file'
import { UsageError } from '@purser/runtime/errors/cli-errors'
import { errorText } from '@purser/runtime/errors/error-text'
import { fileErrorText } from '@purser/runtime/errors/file-error'
import { sleepUntil } from '../../bettors/abortable-wait.ts'
import { createFrameSessionRenewal } from '../../bettors/frame-session-renewal.ts'
import { requestFrameSession } from '../../bettors/frame-session-request.ts'
import { createFrameBets } from '../../frame/frame-bets.ts'
import type { LiveCall } from '../../wire/live-call-log.ts'
import type { TokenSources } from '../dev-options.ts'
import { DEV_PARTNER, type DevServers } from '../dev-servers.ts'
import type { WalletWatch } from '../wallet-watch.ts'
import type { DevPlayer } from './dev-player.ts'
import { explainSilence, type FirstProfile, readFirstCall } from './first-call.ts'

/** The wallet cannot be used as it is (exit code 1). */
export class FirstCallError extends Error {}

export interface PlayerLoaderDeps {
  readonly servers: DevServers
  readonly watch: WalletWatch
  /** Returns the last User data call with this token. */
  findProfileCall(token: string): LiveCall | undefined
  note(sentence: string): void
  /** True if a person may repair the wallet while the command waits. */
  readonly waitsForPerson: boolean
  /** Milliseconds for which a wallet that fails is tried again, if no person watches. */
  readonly waitMs: number
  readonly signal: AbortSignal
}

interface KnownToken {
  readonly token: string
  readonly operatorUser?: string | undefined
  readonly deadToken?: string | undefined
}

/** Milliseconds between two tries. */
const TRY_GAP_MS = 2_000

/** One player for each user of the tokens. Empty only after the signal. */
export async function loadPlayers(sources: TokenSources, count: number, deps: PlayerLoaderDeps): Promise<DevPlayer[]> {
  const players = new Map<string, DevPlayer>()
  for (const known of await listTokens(sources, count)) {
    const player = await openPlayer(known, deps)
    if (player === undefined) return []
    if (!players.has(player.userId)) players.set(player.userId, player)
  }
  return [...players.values()]
}

/** The command runs once for each player that the other sources lack. */
async function listTokens({ tokens, command, file }: TokenSources, count: number): Promise<KnownToken[]> {
  const known = [
    ...tokens.map((token): KnownToken => ({ token })),
    ...(file === undefined ? [] : readPlayersFile(file)),
  ]
  for (let runs = Math.max(1, count - known.length); command !== undefined && runs > 0; runs--)
    known.push({ token: await printToken(command) })
  return known
}

function readPlayersFile(file: string): KnownToken[] {
  let text: string
  try {
    text = readFileSync(file, 'utf8')
  } catch (error) {
    throw new UsageError(`--players: ${fileErrorText(error)}`)
  }
  return listFixturePlayers(text).map(({ token, operatorUser, deadToken }) => ({ token, operatorUser, deadToken }))
}

async function printToken(command: string): Promise<string> {
  const { stdout } = await promisify(exec)(command).catch((error: unknown) => {
    throw new UsageError(`--token-command failed: ${errorText(error)}`)
  })
  const token = stdout.trim()
  if (token === '' || /\s/.test(token))
    throw new UsageError('--token-command must print one token and nothing else to its standard output')
  return token
}

type TokenTry =
  | { readonly kind: 'player'; readonly player: DevPlayer }
  /** `mayPass`: a wallet that is starting may answer so. */
  | { readonly kind: 'problem'; readonly sentence: string; readonly mayPass: boolean }
  /** The call has not reached the wallet. */
  | { readonly kind: 'unreachable' }

async function openPlayer(known: KnownToken, deps: PlayerLoaderDeps): Promise<DevPlayer | undefined> {
  const { watch, signal, note, waitsForPerson, waitMs } = deps
  const until = performance.now() + waitMs
  let last: string | undefined
  while (!signal.aborted) {
    await watch.whenUp(signal)
    const tried = await tryToken(known, deps)
    if (tried.kind === 'player') return tried.player
    if (tried.kind === 'problem') {
      if (tried.sentence !== last) note(tried.sentence)
      if (last === undefined && waitsForPerson) note(`The call is tried again every ${TRY_GAP_MS / 1_000} s.`)
      last = tried.sentence
      if (!waitsForPerson && !(tried.mayPass && performance.now() < until))
        throw new FirstCallError('the wallet cannot be tested before its first answer is right')
    }
    await sleepUntil(Date.now() + TRY_GAP_MS, signal)
  }
  return undefined
}

async function tryToken(known: KnownToken, deps: PlayerLoaderDeps): Promise<TokenTry> {
  const { servers, findProfileCall } = deps
  const { token } = known
  servers.addToken(token)
  const before = findProfileCall(token)?.number
  const body = { partnerId: DEV_PARTNER, token }
  const loaded = await servers.platform.fetchAny('POST', '/frame-sessions', body)
  const { frameSessionId, detail } = loaded.body as { frameSessionId?: string; detail?: string }
  const call = findProfileCall(token)
  if (call === undefined || call.number === before) {
    const waiting = servers.callLog.since(0).calls.findLast((one) => one.token === token && one.operation === 'profile')
    return waiting !== undefined && waiting.request !== undefined && waiting.answer === undefined
      ? { kind: 'problem', sentence: explainSilence(waiting.request.url), mayPass: true }
      : { kind: 'problem', sentence: `The platform cannot use the token: ${detail}.`, mayPass: false }
  }
  if (call.request === undefined || call.answer === undefined) return { kind: 'unreachable' }
  const first = readFirstCall({ request: call.request, answer: call.answer }, token, servers.scales)
  const mayPass = (call.status ?? 0) >= FIRST_SERVER_ERROR
  if (first.kind === 'problem') return { ...first, mayPass }
  if (frameSessionId === undefined)
    return { kind: 'problem', sentence: `The platform cannot use the profile: ${detail}.`, mayPass }
  return { kind: 'player', player: createPlayer(known, first.profile, frameSessionId, servers) }
}

const FIRST_SERVER_ERROR = 500

function createPlayer(
  { token, operatorUser, deadToken }: KnownToken,
  { userId, currency, scale }: FirstProfile,
  frameSessionId: string,
  servers: DevServers,
): DevPlayer {
  const { platform, matches, judge } = servers
  let opened: string | undefined = frameSessionId
  const frame = createFrameSessionRenewal(async () => {
    const first = opened
    opened = undefined
    return first ?? requestFrameSession(platform, DEV_PARTNER, token)
  })
  const bets = createFrameBets({ platform, matches, frame, account: () => ({ currency, scale }), hasFreebets: false })
  judge.addPlayer({ userId, currency, scale, tokens: [token] })
  if (deadToken !== undefined) servers.addDeadToken(deadToken)
  return { userId, currency, scale, token, operatorUser, deadToken, bets }
}
