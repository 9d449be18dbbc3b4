/**
 * The parts of the Kubernetes example agree with each other and with the program; no cluster is
 * needed.
 */

import { SETTINGS, type Setting } from 'purser/core/config/settings'
import { createHttpApp, registerHealth } from 'purser/core/http/http-app'
import { describe, expect, test } from 'vitest'
import { parseAllDocuments } from 'yaml'
import { read } from '../tidy/source.ts'

interface Probe {
  readonly httpGet: { readonly path: string; readonly port: string }
  readonly periodSeconds: number
  readonly failureThreshold: number
}

interface Container {
  readonly image: string
  readonly args: readonly string[]
  readonly env: readonly { readonly name: string; readonly value: string }[]
  readonly ports?: readonly { readonly name: string; readonly containerPort: number }[]
  readonly securityContext: object
  readonly volumeMounts: readonly { readonly name: string; readonly mountPath: string }[]
  readonly readinessProbe: Probe
  readonly livenessProbe: Probe
  readonly startupProbe: Probe
}

interface Pod {
  readonly containers: readonly Container[]
  readonly securityContext: object
  readonly terminationGracePeriodSeconds: number
  readonly volumes: readonly { readonly name: string; readonly secret: { readonly secretName: string } }[]
}

interface Labels {
  readonly matchLabels: Readonly<Record<string, string>>
}

/** A kind has only some of these members. */
interface Document {
  readonly kind: string
  readonly metadata: { readonly name: string; readonly labels?: Readonly<Record<string, string>> }
  readonly stringData: Readonly<Record<string, string>>
  readonly spec: {
    readonly replicas: number
    readonly minAvailable: number
    readonly selector: Labels
    readonly template: { readonly metadata: { readonly labels: object }; readonly spec: Pod }
    readonly ports: readonly { readonly name: string; readonly targetPort: string }[]
    readonly endpoints: readonly { readonly port: string; readonly path: string }[]
  }
}

const DOCUMENTS = parseAllDocuments(read('ops/kubernetes/wallet.yaml')).map((one) => {
  expect(one.errors).toEqual([])
  return one.toJS() as Document
})

const only = (kind: string) => {
  const [found, ...others] = DOCUMENTS.filter((one) => one.kind === kind)
  if (found === undefined || others.length > 0) throw new Error(`there is not exactly one ${kind}`)
  return found
}
const [DEPLOYMENT, JOB, SERVICE] = [only('Deployment').spec, only('Job').spec, only('Service')]
const POD = DEPLOYMENT.template.spec
const containerOf = ({ containers }: Pod) => {
  const [container] = containers
  if (container === undefined || containers.length > 1) throw new Error('there is not exactly one container')
  return container
}
const WALLET = containerOf(POD)
const numberIn = (name: string) => Number(WALLET.env.find((one) => one.name === name)?.value)

/** Seconds after the drain to finish accepted calls (docs/operations/processes.md). */
const FINISH_S = 20

describe('the Kubernetes example', () => {
  test.each([
    ['wallet', POD],
    ['tool', JOB.template.spec],
  ] as const)('gives a %s only settings that it reads, and secrets as files that exist', (reader, pod) => {
    const { env, volumeMounts } = containerOf(pod)
    for (const { name, value } of env) {
      const setting: Setting | undefined = SETTINGS.find((one) => one.name === name.replace(/_FILE$/, ''))
      expect(setting, name).toBeDefined()
      if (name !== 'NODE_ENV') expect(setting?.readBy ?? [reader], name).toContain(reader)
      expect(setting?.secret ?? false, name).toBe(name.endsWith('_FILE'))
      if (setting?.secret !== true) continue
      const mount = volumeMounts.find(({ mountPath }) => value.startsWith(`${mountPath}/`))
      const volume = pod.volumes.find((one) => one.name === mount?.name)
      const secret = DOCUMENTS.find((one) => one.kind === 'Secret' && one.metadata.name === volume?.secret.secretName)
      expect(Object.keys(secret?.stringData ?? {}), value).toContain(value.split('/').at(-1))
    }
  })

  test('has every secret that a wallet requires in production', () => {
    const names = WALLET.env.map(({ name }) => name)
    for (const name of ['DATABASE_URL', 'PARTNER_SECRET', 'OPERATOR_API_KEY', 'PURSER_ENCRYPTION_KEY'])
      expect(names).toContain(`${name}_FILE`)
  })

  test('probes paths that a server has, on the port that it listens on', async () => {
    const http = createHttpApp()
    registerHealth(http, async () => [], [])
    const { path = '', port } = only('ServiceMonitor').spec.endpoints[0] ?? {}
    const gets = [WALLET.startupProbe, WALLET.livenessProbe, WALLET.readinessProbe].map(({ httpGet }) => httpGet)
    for (const get of [...gets, { path, port }]) {
      expect((await http.app.inject(get.path)).statusCode, get.path).toBe(200)
      expect(get.port).toBe('http')
    }
    await http.app.close()
    expect(gets.map((get) => get.path)).toEqual(['/healthz', '/healthz', '/readyz'])
    expect(WALLET.ports).toEqual([{ name: 'http', containerPort: numberIn('PORT') }])
    expect(SERVICE.spec.ports).toMatchObject([{ name: 'http', targetPort: 'http' }])
  })

  test('drains longer than readiness takes to propagate, and ends before it is killed', () => {
    const { periodSeconds, failureThreshold } = WALLET.readinessProbe
    const drain = numberIn('PURSER_DRAIN_SECONDS')
    expect(drain).toBeGreaterThan(periodSeconds * failureThreshold)
    expect(POD.terminationGracePeriodSeconds).toBeGreaterThanOrEqual(drain + FINISH_S)
  })

  test('selects by the labels of its pods and its Service', () => {
    const { labels } = DEPLOYMENT.template.metadata
    expect(only('Deployment').metadata.labels).toEqual(labels)
    expect(SERVICE.metadata.labels).toEqual(labels)
    expect(SERVICE.spec.selector).toEqual(labels)
    for (const kind of ['Deployment', 'PodDisruptionBudget', 'ServiceMonitor'])
      expect(only(kind).spec.selector, kind).toEqual({ matchLabels: labels })
    expect(only('PodDisruptionBudget').spec.minAvailable).toBeLessThan(DEPLOYMENT.replicas)
  })

  test('runs the released image without root and with a read-only root file system', () => {
    const { version } = JSON.parse(read('package.json')) as { version: string }
    for (const pod of [POD, JOB.template.spec]) {
      const { image, securityContext } = containerOf(pod)
      expect(image).toBe(`purser:${version}`)
      expect(pod.securityContext).toMatchObject({ runAsNonRoot: true, seccompProfile: { type: 'RuntimeDefault' } })
      expect(securityContext).toEqual({
        allowPrivilegeEscalation: false,
        readOnlyRootFilesystem: true,
        capabilities: { drop: ['ALL'] },
      })
    }
    expect(containerOf(JOB.template.spec).args).toEqual(['migrate', '--grant', 'wallet=purser_wallet'])
    expect(WALLET.args).toEqual(['wallet'])
  })
})
