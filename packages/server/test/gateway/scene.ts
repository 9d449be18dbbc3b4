/** Starts a gateway with scripted operators, and players with sessions at both. */
import { randomUUID } from 'node:crypto'
import { type GatewaySession, startGateway, type TestGateway } from '../support/gateway.ts'
import { newToken } from '../support/platform.ts'
import { type ScriptedWallet, startScriptedWallet } from '../support/scripted-wallet.ts'

export interface GatewayScene {
  readonly gateway: TestGateway
  readonly operators: readonly ScriptedOperator[]
  stop(): Promise<void>
}

export interface ScriptedOperator {
  readonly operatorId: string
  readonly wallet: ScriptedWallet
}

export interface GatewayPlayer extends GatewaySession {
  readonly operator: ScriptedOperator
  readonly operatorToken: string
}

export async function newGatewayScene(operators = 2, env: Record<string, string> = {}): Promise<GatewayScene> {
  const gateway = await startGateway({ env })
  const scene = { gateway, operators: await Promise.all(Array.from({ length: operators }, () => newOperator(gateway))) }
  const stop = async () => {
    await gateway.stop()
    for (const { wallet } of scene.operators) await wallet.stop()
  }
  return { ...scene, stop }
}

async function newOperator({ api }: TestGateway): Promise<ScriptedOperator> {
  const operatorId = `operator-${randomUUID()}`
  const wallet = await startScriptedWallet({ secret: `secret of ${operatorId}` })
  await api.saveOperator(operatorId, wallet)
  return { operatorId, wallet }
}

export async function newPlayer(scene: GatewayScene, number = 0, operatorToken = newToken()): Promise<GatewayPlayer> {
  const operator = scene.operators[number] as ScriptedOperator
  return { ...(await scene.gateway.api.exchange(operator.operatorId, operatorToken)), operator, operatorToken }
}
