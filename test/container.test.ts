/**
 * The Dockerfile and compose.yaml follow our rules; the test checks them without Docker.
 * container.nightly.test.ts replays the build.
 */
import { execFileSync } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { validate } from 'dockerfile-utils'
import { SETTINGS, type Setting } from 'purser/core/config/settings'
import { describe, expect, test } from 'vitest'
import { newFolder, run } from '../packages/server/test/cli/command.ts'
import { NODE_SETTINGS } from '../packages/server/test/support/citus-nodes.ts'
import { startSecondPostgres } from '../packages/server/test/support/second-postgres.ts'
import { spawnWallet } from '../packages/server/test/support/wallet.ts'
import { COMPOSE, PASSWORDS, statementsOf } from './container/compose.ts'
import { DOCKERFILE, stagesOf, stepsOf } from './container/dockerfile.ts'
import { blocksOf } from './docs/markdown.ts'
import { read } from './tidy/source.ts'

const STAGES = stagesOf(DOCKERFILE)
const IMAGE = STAGES.at(-1) ?? { image: '', name: undefined, steps: [] }
/** A tag of a Node line that is supported until April 2028, with its digest. */
const PINNED_NODE = /^node:24\.\d+\.\d+-trixie-slim@sha256:[0-9a-f]{64}$/
const PINNED = /^[a-z]+:[\w.-]+@sha256:[0-9a-f]{64}$/
const CITUS_DOCKERFILE = 'ops/citus/Dockerfile'

const SERVICES = Object.entries(COMPOSE.services)
const SECRET_SETTINGS = SETTINGS.filter((setting: Setting) => setting.secret === true).map(({ name }) => name)

/** Replaces openssl on a machine without it, for the only command that the guides use. */
const OPENSSL = `command -v openssl > /dev/null || openssl() {
  [ "$*" = 'rand -hex 32' ] && node -p "require('node:crypto').randomBytes(32).toString('hex')"
}`

describe('the Dockerfile', () => {
  test('passes the validator of Dockerfiles', () => expect(validate(DOCKERFILE, {})).toEqual([]))

  test('builds in one stage and runs in another, both on the same Node by digest', () => {
    expect(STAGES.length).toBe(2)
    for (const { image } of STAGES) expect(image).toMatch(PINNED_NODE)
    expect(new Set(STAGES.map(({ image }) => image)).size).toBe(1)
  })

  test('installs nothing in the final image, which copies from the build', () => {
    expect(stepsOf(IMAGE, 'RUN')).toEqual([])
  })

  test('copies from the repository only what .dockerignore lets through', () => {
    const [everything, ...allowed] = read('.dockerignore')
      .split('\n')
      .filter((line) => line === '*' || line.startsWith('!'))
    expect(everything).toBe('*')
    const taken = STAGES.flatMap((stage) => stepsOf(stage, 'COPY'))
      .filter(({ from }) => from === undefined)
      .flatMap(({ words }) => words.slice(0, -1))
    expect(allowed.map((line) => line.replace(/^!/, '')).sort()).toEqual([...new Set(taken)].sort())
    expect(taken).not.toContain('test')
  })

  test('runs without root, has a health check, and exposes its port', () => {
    expect(stepsOf(IMAGE, 'USER').at(-1)?.words).toEqual(['node'])
    expect(stepsOf(IMAGE, 'HEALTHCHECK').length).toBe(1)
    expect(stepsOf(IMAGE, 'ENV').flatMap(({ words }) => words)).toEqual(
      expect.arrayContaining(['HOST=0.0.0.0', 'PORT=8080', 'PURSER_DATA_DIR=/data']),
    )
    expect(stepsOf(IMAGE, 'EXPOSE')[0]?.words).toEqual(['8080'])
    expect(stepsOf(IMAGE, 'VOLUME')[0]?.words).toEqual(['/data'])
  })
})

test('the image of the profile `citus` passes the validator and names its base by digest', () => {
  const text = read(CITUS_DOCKERFILE)
  expect(validate(text, {})).toEqual([])
  expect(stagesOf(text).map(({ image }) => image)).toEqual([expect.stringMatching(PINNED)])
})

describe('compose.yaml', () => {
  test.each(SERVICES)('gives %s a read-only root and no capabilities, and names its image by digest', (_name, it) => {
    expect(it).toMatchObject({ read_only: true, cap_drop: ['ALL'], security_opt: ['no-new-privileges:true'] })
    if (it.build === undefined) expect(it.image).toMatch(PINNED)
  })

  test('contains no secret, since every secret is a file', () => {
    for (const [name, { environment = {}, secrets = [] }] of SERVICES) {
      for (const [variable, value] of Object.entries(environment)) {
        expect(SECRET_SETTINGS, `${name}: ${variable}`).not.toContain(variable)
        expect(value, `${name}: ${variable}`).not.toMatch(/\$\{|:\/\//)
        if (variable.endsWith('_FILE')) expect(secrets.map((secret) => `/run/secrets/${secret}`)).toContain(value)
      }
      for (const secret of secrets) expect(Object.keys(COMPOSE.secrets)).toContain(secret)
    }
    expect(SERVICES.flatMap(([, { secrets = [] }]) => secrets).length).toBeGreaterThan(3)
  })

  test('gives every long-running service enough time to stop in order', () => {
    const stays = SERVICES.filter(([, { restart }]) => restart === 'unless-stopped')
    expect(stays.length).toBeGreaterThan(3)
    for (const [name, { stop_grace_period }] of stays)
      expect(stop_grace_period, name).toBe(name.endsWith('wallet') ? '20s' : '1m')
  })

  test('runs the wallet as a role without superuser rights that does not own the migrated schema', () => {
    const { migrate, wallet } = COMPOSE.services
    expect(wallet?.environment).toMatchObject({
      DATABASE_URL_FILE: '/run/secrets/wallet-url',
      PURSER_MIGRATE: 'never',
    })
    expect(wallet?.secrets).not.toContain('owner-url')
    expect(wallet?.secrets).not.toContain('postgres-password')
    expect(wallet?.depends_on).toEqual({ migrate: { condition: 'service_completed_successfully' } })
    expect(migrate?.environment).toMatchObject({ DATABASE_URL_FILE: '/run/secrets/owner-url' })
    expect(migrate?.command).toEqual(['migrate', '--grant', 'wallet=purser_wallet'])
    expect(read('compose-roles.sql')).not.toMatch(/superuser|createrole|createdb/)
  })

  test('creates roles with which the migration and the wallet run', async () => {
    const [folder, postgres] = [newFolder(), await startSecondPostgres()]
    try {
      for (const one of statementsOf('compose-roles.sql')) await postgres.execute(one)
      const env = (name: string) => {
        const parts = { username: `purser_${name}`, password: PASSWORDS[name], pathname: '/purser' }
        writeFileSync(join(folder.path, name), Object.assign(new URL(postgres.url), parts).href)
        return { NODE_ENV: 'production', DATABASE_URL_FILE: join(folder.path, name) }
      }
      const migrated = await run(COMPOSE.services.migrate?.command ?? [], env('owner'))
      expect(migrated).toMatchObject({ code: 0, stderr: '' })
      const keys = {
        PARTNER_SECRET: randomBytes(32).toString('hex'),
        OPERATOR_API_KEY: randomBytes(32).toString('hex'),
      }
      const wallet = await spawnWallet({ env: { ...env('wallet'), ...keys, PURSER_MIGRATE: 'never' } })
      expect(await wallet.kill('SIGTERM')).toBe(0)
    } finally {
      await postgres.stop()
      folder.remove()
    }
  }, 60_000)

  test('starts without the profile `citus` the same services as before', () => {
    const started = SERVICES.filter(([, { profiles = [] }]) => profiles.length === 0).map(([name]) => name)
    expect(started).toEqual(['migrate', 'wallet', 'postgres'])
  })

  test('runs the wallet of the profile `citus` like the other one, on nodes with the settings of the tests', () => {
    const { 'citus-wallet': onCitus, wallet } = COMPOSE.services
    const { DATABASE_URL_FILE: url, ...others } = wallet?.environment ?? {}
    expect(onCitus?.environment).toEqual({ ...others, DATABASE_URL_FILE: url?.replace('/wallet', '/citus-wallet') })
    for (const [name, value] of Object.entries(NODE_SETTINGS))
      expect(read(CITUS_DOCKERFILE)).toContain(`"${name}=${value}"`)
  })

  test('expects every secret where the guides create it, and the secrets are long and different', () => {
    const guides = ['docs/operations/docker.md', 'docs/guides/citus.md'].flatMap((path) => blocksOf(read(path)))
    const lines = guides
      .filter(({ text }) => text.includes('secrets/$name'))
      .flatMap(({ text }) => text.split('\n').flatMap((line) => /^\$ (?!docker)(.+)/.exec(line)?.[1] ?? []))
    const folder = newFolder()
    try {
      execFileSync('sh', ['-euc', [OPENSSL, ...lines].join('\n')], { cwd: folder.path })
      const made = Object.values(COMPOSE.secrets).map(({ file }) => readFileSync(join(folder.path, file), 'utf8'))
      for (const secret of made) expect(secret.trim().length).toBeGreaterThanOrEqual(32)
      expect(new Set(made).size).toBe(made.length)
    } finally {
      folder.remove()
    }
  })
})
