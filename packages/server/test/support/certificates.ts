/**
 * Makes TLS certificates for servers under test with openssl: a certificate authority, and
 * certificates that it signs.
 */
import { spawnSync } from 'node:child_process'
import { chownSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { serverUser } from './postgres-binaries.ts'

export interface Certificates {
  readonly folder: string
  /** A path. */
  readonly authority: string
  /** Both members are paths. */
  sign(host: string): { certificate: string; key: string }
  remove(): void
}

export function makeCertificates(): Certificates {
  const folder = mkdtempSync(join(tmpdir(), 'purser-test-certificates-'))
  const at = (name: string) => join(folder, name)
  own(folder)
  const newKey = ['req', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes']
  openssl([...newKey, '-x509', '-subj', '/CN=authority', '-keyout', at('ca.key'), '-out', at('ca.pem'), '-days', '2'])
  return {
    folder,
    authority: at('ca.pem'),
    sign(host) {
      const [certificate, key, request, names] = [`${host}.pem`, `${host}.key`, `${host}.csr`, `${host}.ext`].map(at)
      if (!certificate || !key || !request || !names) throw new Error('four names make four paths')
      openssl([...newKey, '-subj', `/CN=${host}`, '-keyout', key, '-out', request])
      writeFileSync(names, `subjectAltName=DNS:${host}`)
      const signer = ['-CA', at('ca.pem'), '-CAkey', at('ca.key'), '-CAcreateserial', '-extfile', names]
      openssl(['x509', '-req', '-in', request, ...signer, '-out', certificate, '-days', '2'])
      own(key)
      return { certificate, key }
    },
    remove: () => rmSync(folder, { recursive: true, force: true }),
  }
}

/** Postgres accepts only a key that belongs to its own user. */
function own(path: string): void {
  const user = serverUser()
  if ('uid' in user) chownSync(path, user.uid, user.gid)
}

function openssl(args: string[]): void {
  const { status, error, stderr } = spawnSync('openssl', args, { encoding: 'utf8' })
  if (status !== 0) throw new Error(`openssl ${args[0]} failed: ${error?.message ?? stderr}`)
}
