// A platform with one scripted partner and one frame session, on a clock that the test advances.
import { afterAll, beforeAll } from 'vitest'
import { openDb } from '../../src/core/database/database-factory.ts'
import type { Db } from '../../src/core/database/db.ts'
import { type FakeTime, fakeTime } from '../support/fake-time.ts'
import { type PlatformClient, startPlatform, type TestPlatform } from '../support/platform.ts'
import type { ReceivedCall, ScriptedWallet } from '../support/scripted-wallet.ts'

export interface Scene {
  time: FakeTime
  platform: TestPlatform
  api: PlatformClient
  wallet: ScriptedWallet
  partnerId: string
  frame: string
  callsOf(betId: string): ReceivedCall[]
  stop(): Promise<void>
}

export async function startScene(env: Record<string, string> = {}): Promise<Scene> {
  const time = fakeTime()
  const platform = await startPlatform({ time, env })
  const { wallet, partnerId } = await platform.partner()
  const frame = await platform.api.loadFrame(partnerId)
  const callsOf = (betId: string) => wallet.requests.filter(({ body }) => body.transactionId === betId)
  return { time, platform, api: platform.api, wallet, partnerId, frame, callsOf, stop: platform.stop }
}

/**
 * A scene for a whole file, with a connection to its database. `begun` receives both, and both end
 * after the last test.
 */
export function sceneWithDb(begun: (scene: Scene, db: Db) => void): void {
  const open: (() => Promise<unknown>)[] = []
  beforeAll(async () => {
    const scene = await startScene()
    open.push(scene.stop)
    const db = await openDb({ kind: 'postgres', url: scene.platform.databaseUrl })
    open.push(() => db.close())
    begun(scene, db)
  })
  afterAll(async () => {
    for (const close of open.reverse()) await close()
  })
}
