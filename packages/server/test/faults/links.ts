/**
 * Scenarios of `npm run faults`: connections to Postgres, or between platform and wallet, are cut,
 * late or silent.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import { startTcpProxy, type TcpProxy } from '../support/tcp-proxy.ts'
import { partnerWire } from '../support/wire.ts'
import { again, databaseIn, newPostgres, newWallet, play, type Stage, type Tally } from './stage.ts'

export async function linksToPostgres(stage: Stage): Promise<Tally> {
  const postgres = await newPostgres(stage)
  const network = await newNetwork(stage, databaseIn(postgres.url))
  const wallet = await newWallet(stage, { DATABASE_URL: network.url })
  return play(stage, { wallets: [wallet], attack: (betting) => again(stage, betting, () => breakOne(stage, network)) })
}

/**
 * A call without an answer may have taken effect, and may arrive after the platform has given up.
 */
export async function linksToWallet(stage: Stage): Promise<Tally> {
  const postgres = await newPostgres(stage)
  const wallet = await newWallet(stage, { DATABASE_URL: databaseIn(postgres.url) })
  const network = await newNetwork(stage, wallet.url)
  const wires = [partnerWire(new URL(network.url).origin, wallet.secret)]
  return play(stage, {
    ...{ wallets: [wallet], options: { wires } },
    attack: (betting) => again(stage, betting, () => breakOne(stage, network)),
  })
}

async function newNetwork(stage: Stage, url: string): Promise<TcpProxy> {
  const network = await startTcpProxy(url)
  stage.onEnd(() => network.close())
  return network
}

async function breakOne({ random }: Stage, network: TcpProxy): Promise<void> {
  await sleep(100 + random.below(300))
  const kinds = [
    () => network.cut(),
    async () => {
      network.delay(200 + random.below(3_000))
      await sleep(1_000 + random.below(3_000)).finally(() => network.delay(0))
    },
    async () => {
      network.silence()
      await sleep(500 + random.below(8_000)).finally(() => network.resume())
    },
  ]
  await kinds[random.below(kinds.length)]?.()
}
