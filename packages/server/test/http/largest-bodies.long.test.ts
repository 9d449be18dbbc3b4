/**
 * The largest permitted body of a route, with the right key or signature and any content, does not
 * block the process for long.
 *
 * The test compares processor time with the time of a fixed computation, because a core is slower
 * during other work.
 */
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { newGatewayScene, newPlayer } from '../gateway/scene.ts'
import { mediaOf, type Node, type Operation, operationsOf, readDocument, resolved } from '../openapi/document.ts'
import { startGateway } from '../support/gateway.ts'
import { dueOf } from '../support/nightly.ts'
import { startPlatform } from '../support/platform.ts'
import { startWallet } from '../support/wallet.ts'
import { sendRaw, sendSigned } from '../wallet/raw-http.ts'
import { type HostileBody, hostileBodies } from './hostile-bodies.ts'

/**
 * Milliseconds of this process with all threads, including the client, on a core of the yardstick's
 * speed.
 */
const MAX_CPU_MS = 50
/** Days until each route was tested. */
const DAYS = 12
/** One try may include a garbage collection, but a slow route is slow in every try. */
const TRIES = 16
/**
 * The minimum cost of the worst bodies: 256 KiB of different names, parsed and written once, with
 * its milliseconds on a core of 2026. A core with other work or slow memory takes longer, as for
 * the bodies.
 */
const YARDSTICK = JSON.stringify(Object.fromEntries(Array.from({ length: 21_000 }, (_, i) => [`${i}x`, 0])))
const YARDSTICK_MS = 10
const KIB = 1024
/**
 * The limit for a call of the interface. Only a caller with the secret can send one, and its
 * lists have no limit.
 */
const WIRE_BYTES = 256 * KIB

interface Server {
  readonly url: string
  readonly key: string
  readonly secret?: string
  /** A known player, who replaces the player of the examples. */
  readonly player?: { readonly token: string; readonly userId: string }
  stop(): Promise<void>
}

const isWire = ({ security }: Operation) => 'partnerSignature' in (security[0] ?? {})

const SERVERS = [
  {
    server: 'wallet',
    document: 'wallet' as const,
    bytes: 64 * KIB,
    start: async (): Promise<Server> => {
      const { url, operatorKey: key, secret, stop } = await startWallet()
      return { url, key, secret, stop }
    },
  },
  {
    server: 'platform',
    document: 'platform' as const,
    bytes: 256 * KIB,
    start: (): Promise<Server> => startPlatform(),
  },
  { server: 'gateway', document: 'gateway' as const, bytes: 64 * KIB, start: (): Promise<Server> => startGateway() },
  {
    server: 'gateway, of the interface',
    document: 'wallet' as const,
    only: isWire,
    bytes: WIRE_BYTES,
    start: startGatewayAlone,
  },
]

/** Its operator is stopped, so only the gateway's own work remains. */
async function startGatewayAlone(): Promise<Server> {
  const scene = await newGatewayScene(1)
  const player = await newPlayer(scene)
  await player.operator.wallet.stop()
  return { ...scene.gateway, player }
}

function cpuMsSince(before: NodeJS.CpuUsage): number {
  const { user, system } = process.cpuUsage(before)
  return (user + system) / 1_000
}

/**
 * The slowness of this core now, at least 1: its time for the yardstick divided by YARDSTICK_MS.
 */
function slowness(): number {
  const before = process.cpuUsage()
  JSON.stringify(JSON.parse(YARDSTICK))
  return Math.max(1, cpuMsSince(before) / YARDSTICK_MS)
}

const PATH_VALUES: Readonly<Record<string, string>> = {
  betId: '6b0f3f0e-6c0f-4f0e-9d5a-0c5f7b1a2c3d',
  deliveryId: '1',
}

describe.each(SERVERS)('a route of the $server', ({ document: name, only = () => true, start, bytes }) => {
  let running: Server
  beforeAll(async () => {
    running = await start()
  })
  afterAll(() => running.stop())

  const document = readDocument(name)
  const taking = operationsOf(document).filter((operation) => operation.requestBody !== undefined && only(operation))

  function bodiesOf(operation: Operation): HostileBody[] {
    const [, media] = mediaOf(operation).find(([where]) => where === 'request') ?? []
    const [example] = Object.values(media?.examples ?? {})
    const size = isWire(operation) ? WIRE_BYTES : bytes
    return hostileBodies(resolved(document, media?.schema) as Node, ofPlayer(example?.value), size)
  }

  function ofPlayer(example: unknown): unknown {
    const members = Object.entries(running.player ?? {}).filter(([name]) => name in (example as Node))
    return members.length === 0 ? example : { ...(example as Node), ...Object.fromEntries(members) }
  }

  function send(operation: Operation, body: string) {
    const [method = '', pattern = ''] = operation.name.split(' ')
    const path = pattern.replaceAll(/\{(\w+)\}/g, (_, name: string) => PATH_VALUES[name] ?? 'somebody')
    if (isWire(operation)) return sendSigned(running.url, running.secret ?? '', { method, path, body })
    const headers = { authorization: `Bearer ${running.key}`, 'content-type': 'application/json' }
    return sendRaw(running.url, { method, path, body, headers })
  }

  test('is tested only if it accepts a body', () => {
    expect(taking.length).toBeGreaterThan(1)
  })

  test.each(dueOf(taking, DAYS))('$name: processes every body of the largest size quickly', async (operation) => {
    const slow: string[] = []
    for (const { name, text } of bodiesOf(operation)) {
      let least = Number.POSITIVE_INFINITY
      for (let i = 0; i < TRIES && least > MAX_CPU_MS; i++) {
        const before = process.cpuUsage()
        const { status } = await send(operation, text)
        const used = cpuMsSince(before)
        expect(status).not.toBe(413)
        least = Math.min(least, used > MAX_CPU_MS ? used / slowness() : used)
      }
      if (least > MAX_CPU_MS) slow.push(`${name}: ${Math.ceil(least)} ms`)
    }
    expect(slow).toEqual([])
  })

  test('rejects a larger body with any content', async () => {
    const own = taking.filter((operation) => !isWire(operation))
    const answers = await Promise.all(own.map((operation) => send(operation, `"${'a'.repeat(bytes)}"`)))
    expect(answers.map(({ status }) => status)).toEqual(own.map(() => 413))
  })
})
