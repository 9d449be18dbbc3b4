/**
 * Checks the committed OpenAPI documents with other programs, which have found faults that our
 * tests had missed. Redocly lints the documents, Ajv validates every example, and the output of
 * openapi-typescript must compile. `npm run check:openapi` installs these programs first.
 */
import { spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

const TOOLS = fileURLToPath(new URL('../../.ci/openapi', import.meta.url))
const load = createRequire(join(TOOLS, 'package.json'))
const { default: Ajv } = load('ajv/dist/2020')
const { default: addFormats } = load('ajv-formats')

const pathOf = (server) => fileURLToPath(new URL(`../../packages/server/openapi/${server}.json`, import.meta.url))
const faults = ['wallet', 'platform', 'gateway'].flatMap((server) => [
  ...examplesOf(server),
  ...ran('redocly', ['lint', '--config', join(TOOLS, 'redocly.yaml'), pathOf(server)]),
  ...compiled(server),
])
process.stderr.write(faults.map((fault) => `${fault}\n`).join(''))
if (faults.length > 0) process.exitCode = 1
else process.stdout.write('the OpenAPI documents are sound\n')

function examplesOf(server) {
  const document = JSON.parse(readFileSync(pathOf(server), 'utf8'))
  const ajv = new Ajv({ strict: false, allErrors: true })
  addFormats(ajv)
  ajv.addSchema(document, server)
  const faults = []
  const look = (node, pointer) => {
    if (typeof node !== 'object' || node === null) return
    if (node.schema !== undefined) {
      const examples = Object.entries(node.examples ?? {}).map(([name, { value }]) => [`examples/${name}`, value])
      if (node.example !== undefined) examples.push(['example', node.example])
      const isValid = ajv.getSchema(`${server}#${pointer}/schema`)
      for (const [name, value] of examples)
        if (!isValid(value)) faults.push(`${server} ${pointer}/${name}: ${ajv.errorsText(isValid.errors)}`)
    }
    for (const [name, member] of Object.entries(node)) if (name !== 'schema') look(member, `${pointer}/${part(name)}`)
  }
  look(document.paths, '/paths')
  return faults
}

/** A segment of a JSON pointer, encoded for the fragment of a URL. */
function part(name) {
  return encodeURIComponent(name.replaceAll('~', '~0').replaceAll('/', '~1'))
}

function compiled(server) {
  const folder = mkdtempSync(join(tmpdir(), 'purser-openapi-'))
  try {
    const made = join(folder, `${server}.ts`)
    writeFileSync(join(folder, 'package.json'), '{"type":"module"}')
    const written = ran('openapi-typescript', [pathOf(server), '-o', made])
    return written.length > 0 ? written : ran('tsc', ['--noEmit', '--strict', made])
  } finally {
    rmSync(folder, { recursive: true })
  }
}

/** The output of a program that fails. */
function ran(program, values) {
  const env = { ...process.env, REDOCLY_TELEMETRY: 'off', REDOCLY_SUPPRESS_UPDATE_NOTICE: 'true' }
  const { status, stdout, stderr } = spawnSync(join(TOOLS, 'node_modules', '.bin', program), values, {
    ...{ cwd: TOOLS, encoding: 'utf8', env, shell: process.platform === 'win32' },
  })
  return status === 0 ? [] : [`${program} ${values.join(' ')}\n${stdout ?? ''}${stderr ?? ''}`]
}
