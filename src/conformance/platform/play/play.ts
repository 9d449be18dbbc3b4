/** Acts one scene: registers its partners, makes the wishes one after the other, and hands back what was seen. */
import { setTimeout as sleep } from 'node:timers/promises'
import type { Pace } from '../../pace.ts'
import type { Act, SceneCase } from '../case.ts'
import { type Drive, type Fulfilled, type Look, STAKE, type Unable, unable, type Wish } from './drive.ts'
import type { Played, Wished } from './judge.ts'
import { createJournal, type Journal, type Player } from './record.ts'
import type { Timing } from './timing.ts'
import type { KitWallet, OpenPartner } from './wallet.ts'

export interface Stage {
  readonly wallet: KitWallet
  readonly drive: Drive
  readonly pace: Pace
  readonly timing: Timing
  /** Kills and starts the platform, together with every other scene that wants it. */
  restart(): Promise<Fulfilled>
  /** Resolves when the kill begins. */
  readonly restarting: Promise<void>
  readonly signal: AbortSignal
}

export type Outcome =
  | { readonly kind: 'played'; readonly played: Played }
  /** The platform could not be brought to do what the scene is about. */
  | (Unable & { readonly played: Played })

/** Milliseconds between two looks at a bet. */
const LOOK_EVERY_MS = 200

interface Scene {
  readonly stage: Stage
  readonly case: SceneCase
  readonly journal: Journal
  readonly partners: readonly OpenPartner[]
  readonly players: Player[]
  readonly wishes: Wished[]
  readonly looks: Map<string, Look>
}

const DONE: Fulfilled = { kind: 'done' }

export async function play(stage: Stage, scene: SceneCase): Promise<Outcome> {
  const set = prepare(stage, scene)
  const ended = await actAll(set)
  for (const partner of set.partners) partner.recover()
  const { journal, wishes, looks } = set
  const played = { calls: journal.calls, bets: journal.bets(), wishes, looks }
  return ended.kind === 'done' ? { kind: 'played', played } : { ...ended, played }
}

function prepare(stage: Stage, scene: SceneCase): Scene {
  const journal = createJournal(stage.signal)
  const { restarting } = stage
  const partners = Array.from({ length: scene.partners ?? 1 }, (_, i) =>
    stage.wallet.open(scene.id, { scripts: i === 0 ? (scene.answers ?? {}) : {}, journal, restarting }),
  )
  const players = partners.map((partner) => partner.player('EUR'))
  return { stage, case: scene, journal, partners, players, wishes: [], looks: new Map() }
}

async function actAll(scene: Scene): Promise<Fulfilled> {
  for (const [i, partner] of scene.partners.entries()) {
    if (scene.stage.signal.aborted) return unable('the run was interrupted')
    const opened = await openFrame(scene, partner, scene.players[i])
    if (opened.kind === 'unable') return opened
  }
  for (const act of scene.case.acts) {
    if (scene.stage.signal.aborted) return unable('the run was interrupted')
    const done = await perform(scene, act)
    if (done.kind === 'unable') return done
  }
  return scene.stage.signal.aborted ? unable('the run was interrupted') : lookAtLast(scene)
}

async function openFrame({ stage }: Scene, partner: OpenPartner, player: Player | undefined): Promise<Fulfilled> {
  const { partnerId, baseUrl, secret } = partner
  const registered = await ask(stage, { do: 'partner', partnerId, baseUrl, secret })
  if (registered.kind === 'unable') return registered
  return ask(stage, { do: 'frame', partnerId, token: player?.token ?? '' })
}

async function ask({ drive, pace }: Stage, wish: Wish): Promise<Fulfilled> {
  await pace.turn(1)
  return drive(wish)
}

async function perform(scene: Scene, act: Act): Promise<Fulfilled> {
  const { stage, journal, partners, players } = scene
  const { timing, signal } = stage
  switch (act.kind) {
    case 'place':
      return place(scene, act)
    case 'settle':
      return onBet(scene, act, (bet) => ({ do: 'settle', bet, resultType: act.resultType, amount: act.amount }))
    case 'unsettle':
      return onBet(scene, act, (bet) => ({ do: 'unsettle', bet }))
    case 'cancel':
      return onBet(scene, act, (bet) => ({ do: 'cancel', bet, errorCode: act.errorCode }))
    case 'await': {
      const within = act.within && { withinMs: timing[act.within] + timing.noiseMs }
      const patienceMs = within === undefined ? timing[act.patience ?? 'patienceMs'] : within.withinMs
      await journal.waitFor(act.call, act.count, { patienceMs, ...within })
      return DONE
    }
    case 'watch':
      await sleep(timing[act.during ?? 'quietMs'], undefined, { signal }).catch(() => {})
      return DONE
    case 'move': {
      const [{ partnerId, secret, addressOf }] = partners as [OpenPartner]
      return ask(stage, { do: 'partner', partnerId, baseUrl: addressOf(act.to), secret })
    }
    case 'switch_currency': {
      const [partner] = partners as [OpenPartner]
      players[0] = partner.player('USD', players[0])
      return ask(stage, { do: 'frame', partnerId: partner.partnerId, token: players[0].token })
    }
    case 'another_player': {
      const [partner] = partners as [OpenPartner]
      const [before] = players as [Player]
      players[0] = partner.stranger(act.who, before)
      return ask(stage, { do: 'frame', partnerId: partner.partnerId, token: players[0].token })
    }
    case 'restart':
      return stage.restart()
    case 'await_fates':
      return awaitFates(scene)
    default:
      return act satisfies never
  }
}

/** What the platform says to whoever asked it does not matter, as long as it calls the partner. */
async function place(
  scene: Scene,
  { partner: number = 0, aside, amount = STAKE }: Act & { kind: 'place' },
): Promise<Fulfilled> {
  const { stage, journal, partners, players, wishes } = scene
  const { partnerId = '' } = partners[number] ?? {}
  await stage.pace.turn(1) // before the clock of the wish starts
  const before = journal.of('place').length
  const player = players[number]
  wishes.push({ call: 'place', partner: number, partnerId, at: performance.now(), ...(player && { player }) })
  const asked = stage.drive({ do: 'place', partnerId, token: player?.token ?? '', amount })
  if (aside) return DONE
  const isMoved = scene.case.acts.some(({ kind }) => kind === 'move')
  const fulfilled = await asked
  return isMoved || journal.of('place').length > before ? DONE : fulfilled
}

interface OnBet {
  readonly bet?: number
  readonly twice?: true
}

async function onBet(
  scene: Scene,
  { bet: number = 0, twice }: OnBet,
  toWish: (bet: string) => Wish,
): Promise<Fulfilled> {
  const { stage, journal, partners, wishes } = scene
  const bet = journal.bets()[number]
  if (bet === undefined) return unable('the platform did not place the bet')
  const placed = journal.of('place').find(({ body }) => body.transactionId === bet)
  const wish = toWish(bet)
  await stage.pace.turn(twice ? 2 : 1)
  const partnerId = placed?.partner.partnerId ?? ''
  const partner = partners.findIndex((one) => one.partnerId === partnerId)
  if (wish.do === 'settle') wishes.push({ call: 'settle', partner, partnerId, at: performance.now() })
  if (!twice) return stage.drive(wish)
  // The platform may refuse the second one.
  const [first, second] = await Promise.all([stage.drive(wish), stage.drive(wish)])
  return first.kind === 'done' ? first : second
}

async function awaitFates(scene: Scene): Promise<Fulfilled> {
  const { stage, journal, looks } = scene
  const giveUpAt = performance.now() + stage.timing.recoveryMs
  const isDecided = (bet: string) =>
    looks.get(bet)?.status === 'accepted' || journal.of('rollback').some(({ body }) => body.transactionId === bet)
  for (;;) {
    const open = journal.bets().filter((bet) => !isDecided(bet))
    if (open.length === 0 || performance.now() > giveUpAt || stage.signal.aborted) return DONE
    for (const bet of open) {
      const seen = await lookAt(scene, bet)
      if (seen.kind === 'unable') return seen
    }
    await sleep(LOOK_EVERY_MS)
  }
}

async function lookAt({ stage, looks }: Scene, bet: string): Promise<Fulfilled> {
  const seen = await ask(stage, { do: 'look', bet })
  if (seen.kind === 'done' && seen.look === undefined) return unable('the platform does not tell of its bets')
  if (seen.kind === 'done' && seen.look !== undefined) looks.set(bet, seen.look)
  return seen
}

/** Cases that ask how the platform shows a delivery, or what became of the bets, end with a look. */
async function lookAtLast(scene: Scene): Promise<Fulfilled> {
  const shown = scene.case.expect.find((one) => one.kind === 'shown')
  if (shown !== undefined) return lookUntil(scene, shown.as)
  if (!scene.case.expect.some(({ kind }) => kind === 'one_fate')) return DONE
  for (const bet of scene.journal.bets()) {
    const seen = await lookAt(scene, bet)
    if (seen.kind === 'unable') return seen
  }
  return DONE
}

async function lookUntil(scene: Scene, wanted: string): Promise<Fulfilled> {
  const [bet] = scene.journal.bets()
  if (bet === undefined) return unable('the platform did not place the bet')
  const giveUpAt = performance.now() + scene.stage.timing.patienceMs
  for (;;) {
    const seen = await lookAt(scene, bet)
    if (seen.kind === 'unable' || scene.looks.get(bet)?.delivery === wanted) return seen
    if (performance.now() > giveUpAt || scene.stage.signal.aborted) return DONE
    await sleep(LOOK_EVERY_MS)
  }
}
