/**
 * Starts one platform, a gateway, operators with our wallets, and a network with faults between
 * every pair of these servers.
 */

import { STANDARD_SCALES } from '@purser/protocol/values/money'
import { openDb } from '../../src/core/database/database-factory.ts'
import type { ReconcileFinding } from '../../src/reconcile/bet-comparison.ts'
import { reconcile } from '../../src/reconcile/reconcile.ts'
import { type FaultyWallet, startFaultyWallet } from './faulty-wallet.ts'
import type { GatewayClient, GatewaySession } from './gateway.ts'
import { playerWithMoney } from './operator.ts'
import { startWallet, type TestWallet } from './wallet.ts'

export interface TestOperator {
  readonly operatorId: string
  readonly wallet: TestWallet
  readonly network: FaultyWallet
  readonly userIds: Set<string>
  stop(): Promise<void>
}

/** Starts a wallet for the gateway, with its own database and an honest network. */
export async function startOperator(operatorId: string, api: GatewayClient): Promise<TestOperator> {
  const wallet = await startWallet({ env: { PURSER_BEHIND_AGGREGATOR: 'true' } })
  const network = await startFaultyWallet(wallet.url)
  await api.saveOperator(operatorId, { url: network.url, secret: wallet.secret })
  const stop = async () => {
    await network.close()
    await wallet.stop()
  }
  return { operatorId, wallet, network, userIds: new Set(), stop }
}

/** The player has 1,000,000.00 EUR and a session with the gateway. */
export async function newGatewayPlayer(
  { operatorId, wallet, userIds }: TestOperator,
  api: GatewayClient,
): Promise<GatewaySession> {
  const { token } = await playerWithMoney(wallet.operator, '1000000.00')
  const session = await api.exchange(operatorId, token)
  userIds.add(session.userId)
  return session
}

/**
 * The differences between the platform and this operator's wallet, and the number of compared bets.
 */
export async function differences(
  platformUrl: string,
  partnerId: string,
  { wallet, userIds }: TestOperator,
): Promise<{ found: ReconcileFinding[]; bets: number; inFlight: number }> {
  const [platform, db] = await Promise.all(
    [platformUrl, wallet.databaseUrl].map((url) => openDb({ kind: 'postgres', url })),
  )
  const found: ReconcileFinding[] = []
  try {
    const only = (userId: string) => userIds.has(userId)
    const options = {
      platform: platform!,
      wallet: { kind: 'database', db: db! },
      scales: STANDARD_SCALES,
      partnerId,
      only,
    } as const
    const { bets, inFlight } = await reconcile(options, (finding) => found.push(finding))
    return { found: found.filter(({ type }) => type === 'difference'), bets, inFlight }
  } finally {
    await Promise.all([platform?.close(), db?.close()])
  }
}
