/**
 * A proxy of a wallet's operator API that exchanges each new token at the gateway, as an operator's
 * site does. It also replaces ids of the kit's players with their ids at the platform.
 */
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { buffer } from 'node:stream/consumers'
import type { FixturePlayer, PlayerFixtures, PlayerLease } from '@purser/conformance/wallet/players/player-fixtures'
import { request } from 'undici'
import type { GatewayClient, GatewaySession } from '../support/gateway.ts'

export interface ExchangingOperator {
  readonly url: string
  /** The same players with their ids at the gateway. */
  through(fixtures: PlayerFixtures): PlayerFixtures
  close(): Promise<void>
}

export async function startExchangingOperator(
  walletUrl: string,
  exchange: (token: string) => ReturnType<GatewayClient['exchange']>,
): Promise<ExchangingOperator> {
  const sessions = new Map<string, GatewaySession>()
  const server = createServer(async (asked, answer) => {
    const { authorization = '', 'content-type': type } = asked.headers
    const reply = await request(walletUrl + asked.url, {
      method: asked.method as 'POST',
      headers: { authorization, ...(type !== undefined && { 'content-type': type }) },
      body: await buffer(asked),
    })
    const text = await reply.body.text()
    const token = text === '' ? undefined : JSON.parse(text).token
    if (token === undefined) return void answer.writeHead(reply.statusCode).end(text)
    const session = await exchange(token)
    sessions.set(session.operatorUser, session)
    answer.writeHead(reply.statusCode).end(JSON.stringify({ ...JSON.parse(text), token: session.token }))
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  const toPlatform = (player: FixturePlayer): FixturePlayer => {
    const { userId, operatorUser } = sessions.get(player.userId) as GatewaySession
    return { ...player, userId, operatorUser }
  }
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    through: (fixtures) => ({
      ...fixtures,
      lease: async (kind, needs) => renamed(await fixtures.lease(kind, needs), toPlatform),
    }),
    async close() {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
}

function renamed(lease: PlayerLease, toPlatform: (player: FixturePlayer) => FixturePlayer): PlayerLease {
  const { A, B } = lease.players
  return {
    ...lease,
    players: { A: toPlatform(A), ...(B !== undefined && { B: toPlatform(B) }) },
    act: async (act, player, betId) =>
      toPlatform(await lease.act(act, { ...player, userId: player.operatorUser ?? '' }, betId)),
  }
}
