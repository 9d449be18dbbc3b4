/**
 * Starts gateways in separate processes (`node packages/server/dist/main.js gateway`), and a load
 * balancer that distributes calls to them.
 */
import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'
import { type GatewayClient, gatewayClient, gatewayEnv } from './gateway.ts'
import { type ServerProcess, spawnServer } from './server-process.ts'

export interface GatewayProcess extends ServerProcess {
  readonly api: GatewayClient
}

export interface GatewayFleet {
  /** The balancer's address. Connections go to the gateways in turn, including dead ones. */
  readonly url: string
  readonly secret: string
  readonly gateways: readonly GatewayProcess[]
  /** Kills a gateway with SIGKILL and starts it again at the same address. */
  killAndRestart(number: number): Promise<void>
  stop(): Promise<void>
}

/** All processes have the same database, secret and key. */
export async function startGatewayFleet(databaseUrl: string, size: number): Promise<GatewayFleet> {
  const env = gatewayEnv(databaseUrl)
  const start = async (port = '0'): Promise<GatewayProcess> => {
    const server = await spawnServer('gateway', { ...env, PORT: port, LOG_LEVEL: 'info' })
    return { ...server, api: gatewayClient(server.url, env.GATEWAY_API_KEY) }
  }
  const gateways: GatewayProcess[] = []
  for (let i = 0; i < size; i++) gateways.push(await start())
  const balancer = await startBalancer(gateways.map(({ url }) => Number(new URL(url).port)))
  return {
    url: balancer.url,
    secret: env.PARTNER_SECRET,
    gateways,
    async killAndRestart(number) {
      const { url, kill } = gateways[number] as GatewayProcess
      await kill('SIGKILL')
      gateways[number] = await start(new URL(url).port)
    },
    async stop() {
      await balancer.close()
      await Promise.all(gateways.map(({ kill }) => kill('SIGKILL')))
    },
  }
}

async function startBalancer(ports: readonly number[]): Promise<{ url: string; close(): Promise<void> }> {
  const sockets = new Set<Socket>()
  let turn = 0
  const server = createServer((inner) => {
    const outer = connect(ports[turn++ % ports.length] as number, '127.0.0.1')
    for (const [from, to] of [
      [inner, outer],
      [outer, inner],
    ] as const) {
      sockets.add(from)
      from.pipe(to)
      from.on('error', () => {})
      from.on('close', () => {
        sockets.delete(from)
        to.destroy()
      })
    }
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    async close() {
      for (const socket of sockets) socket.destroy()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}
