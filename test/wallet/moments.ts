// What may have happened to a player between two calls: dead tokens, spent money, blocks, locks.
import { playerWithMoney } from '../support/operator.ts'
import { balanceOf, type Members, must, nextBet, type Scene } from './scene.ts'

export type Moment = (scene: Scene) => Promise<void>
/** Members of a call that can only be known once the scene stands. */
export type Made = (scene: Scene) => Promise<Members>

/** Existed, ran out (P-1: code 4). The clock moves for everybody, but all other sessions live for hours. */
export const expiredToken: Made = async ({ wallet, userId }) => {
  const token = await wallet.operator.session(userId, { ttlSeconds: 1 })
  wallet.clock.advance(2_000)
  return { token }
}

/** Existed, ended by a switch of the currency and back (P-1: code 4). */
export const outOfDateToken: Made = async ({ wallet, userId, token }) => {
  await wallet.operator.switchCurrency(userId, 'USD')
  await wallet.operator.switchCurrency(userId, 'EUR')
  return { token }
}

/** Never existed (P-1: code 3). */
export const unknownToken: Made = async () => ({ token: 'neverIssuedNeverIssuedNeverIssuedNeverIssue' })

/** Alive, but of another player (P-1: code 3). */
export const foreignToken: Made = async ({ wallet }) => {
  const { token } = await playerWithMoney(wallet.operator, '500.00')
  return { token }
}

export async function patch(scene: Scene, changes: Members): Promise<void> {
  await scene.wallet.operator.patch(scene.userId, changes)
}

export const blocked: Moment = (scene) => patch(scene, { status: 'blocked' })

/** A day ahead of the wallet's clock is enough: no test advances it that far after excluding somebody. */
export const selfExcluded: Moment = (scene) =>
  patch(scene, { selfExcludedUntil: new Date(scene.wallet.clock.now().getTime() + 40 * 86_400_000).toISOString() })

export const unverified: Moment = (scene) => patch(scene, { verified: false })

export const underAge: Moment = (scene) => patch(scene, { birthday: birthdayOfAge(scene, 17) })

export function birthdayOfAge(scene: Scene, years: number): string {
  const date = scene.wallet.clock.now()
  return `${date.getUTCFullYear() - years}${date.toISOString().slice(4, 10)}`
}

export const testPlayer: Moment = (scene) => patch(scene, { isTest: true })

export const locked: Moment = (scene) => scene.wallet.operator.lock(scene.userId, scene.betId)

export const unlocked: Moment = async ({ wallet, userId, betId }) => {
  await wallet.operator.request('DELETE', `/operator/players/${userId}/bets/${betId}/lock`)
}

export const richer: Moment = (scene) => scene.wallet.operator.deposit(scene.userId, '9000.00', 'EUR')

/** Everything the player has goes into another bet. */
export const spentAll: Moment = async (scene) => {
  const balance = await balanceOf(scene)
  await must(nextBet(scene), 'place', { amount: Number(balance) })
}

/** Members that stay, with a token of the given kind. */
export function withToken(token: Made, members: Members): Made {
  return async (scene) => ({ ...members, ...(await token(scene)) })
}
