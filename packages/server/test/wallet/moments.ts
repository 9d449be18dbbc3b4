// Events for a player between two calls: ended tokens, spent money, blocks, locks.
import { playerWithMoney } from '../support/operator.ts'
import { balanceOf, type Members, must, nextBet, type Scene } from './scene.ts'

export type Moment = (scene: Scene) => Promise<void>
/** Members of a call that depend on the scene. */
export type MembersFactory = (scene: Scene) => Promise<Members>

/**
 * A token that expired (code 4, P-1). The clock advances for every player, but all other sessions
 * last for hours.
 */
export const expiredToken: MembersFactory = async ({ wallet, userId }) => {
  const token = await wallet.operator.session(userId, { ttlSeconds: 1 })
  wallet.clock.advance(2_000)
  return { token }
}

/** A token that ended through a switch of the currency and back (code 4, P-1). */
export const outOfDateToken: MembersFactory = async ({ wallet, userId, token }) => {
  await wallet.operator.switchCurrency(userId, 'USD')
  await wallet.operator.switchCurrency(userId, 'EUR')
  return { token }
}

/** A token that never existed (code 3, P-1). */
export const unknownToken: MembersFactory = async () => ({ token: 'neverIssuedNeverIssuedNeverIssuedNeverIssue' })

/** A live token of another player (code 3, P-1). */
export const foreignToken: MembersFactory = async ({ wallet }) => {
  const { token } = await playerWithMoney(wallet.operator, '500.00')
  return { token }
}

export async function patch(scene: Scene, changes: Members): Promise<void> {
  await scene.wallet.operator.patch(scene.userId, changes)
}

export const blocked: Moment = (scene) => patch(scene, { status: 'blocked' })

/** 40 days are enough, because no test advances the clock that far after an exclusion. */
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

/** Another bet uses the whole balance. */
export const spentAll: Moment = async (scene) => {
  const balance = await balanceOf(scene)
  await must(nextBet(scene), 'place', { amount: Number(balance) })
}

/** The members with a token of the given kind. */
export function withToken(token: MembersFactory, members: Members): MembersFactory {
  return async (scene) => ({ ...members, ...(await token(scene)) })
}
