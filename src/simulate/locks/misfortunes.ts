/**
 * What befalls whole processes and servers: a wallet is killed, or its Postgres dies and a standby that lags takes its place. What the standby
 * has is what was committed when it fell behind, read in one snapshot, and put there when nobody is connected any more: for a wallet it is
 * the same, and it takes no seconds. With servers that replicate, `npm run faults` does it (failover-lagging).
 */
import type { Random } from '../../runtime/random.ts'
import { world } from '../../runtime/world.ts'
import type { Scene } from './scene.ts'

export type Misfortune =
  /** The standby gets nothing any more of what is committed from then. */
  | { readonly does: 'fall behind' }
  | { readonly does: 'fail over' }
  | { readonly does: 'kill'; readonly wallet: number; readonly downMs: number }

export interface Standby {
  /** Puts what it has in the place of what there is; absent: it has everything. */
  takeOver?: () => Promise<void>
  isInPlace: boolean
}

/** Milliseconds until a process that could not begin is begun again. */
const AGAIN_MS = 1_000
/** One that waits for a lock sees that nobody listens any more when it gets it. */
const MOST_ROUNDS = 100

interface At {
  readonly at: number
  readonly disaster: Misfortune
}

export function drawMisfortunes(random: Random): At[] {
  const from = world.elapsed()
  const found: At[] = []
  const behind = random.between(200, 1_500)
  if (random.chance(0.35))
    found.push(
      { at: from + behind, disaster: { does: 'fall behind' } },
      { at: from + behind + random.between(300, 2_000), disaster: { does: 'fail over' } },
    )
  if (random.chance(0.35)) {
    const disaster = { does: 'kill', wallet: random.below(2), downMs: random.between(1, 2_000) } as const
    found.push({ at: from + random.between(100, 2_500), disaster })
  }
  return found
}

/** Those that come when all is over do not. */
export function misfortunes(scene: Scene): void {
  for (const { at, disaster } of scene.choices.disasters(() => drawMisfortunes(scene.random('misfortunes'))))
    world.after(at - world.elapsed(), () => {
      if (!scene.cast.isOver) scene.works.push(() => befall(scene, disaster))
    })
}

async function befall(scene: Scene, disaster: Misfortune): Promise<void> {
  const { trace, base, standby } = scene
  if (disaster.does === 'kill') return kill(scene, disaster)
  if (disaster.does === 'fail over') return failOver(scene)
  trace.note('the standby falls behind')
  standby.takeOver = await base.wallet.backup()
}

async function kill(scene: Scene, { wallet, downMs }: Misfortune & { does: 'kill' }): Promise<void> {
  const { trace } = scene
  trace.note(`wallet ${wallet + 1} is killed`)
  trace.mark('a wallet is killed')
  scene.wallet(wallet)?.kill()
  scene.forgetWallet(wallet)
  const begin = () => {
    if (scene.wallet(wallet) !== undefined) return
    trace.note(`wallet ${wallet + 1} begins`)
    scene.beginWallet(wallet).catch(failed)
  }
  /** Its first connections may break too: a process that cannot begin ends, and whoever watches over it begins another one. */
  const failed = () => {
    trace.note(`wallet ${wallet + 1} cannot begin`)
    scene.wallet(wallet)?.kill()
    scene.forgetWallet(wallet)
    world.after(AGAIN_MS, begin)
  }
  world.after(downMs, begin)
}

/** Whatever is under way at the server dies with it. */
async function failOver(scene: Scene): Promise<void> {
  const { trace, proxy, standby, cast } = scene
  if (standby.takeOver === undefined) return
  trace.note('the server of the wallets dies, and the standby takes its place')
  trace.mark('a standby that lags takes over')
  scene.stopListening()
  cast.isOver = true
  const connected = () => proxy.sessions().filter(({ party, phase }) => party !== 'platform' && phase !== 'asking')
  for (let round = 0; connected().length > 0; round++) {
    if (round > MOST_ROUNDS) throw new Error('the server of the wallets does not let go of them')
    for (const one of connected()) await proxy.cut(one)
  }
  await standby.takeOver()
  standby.isInPlace = true
}
