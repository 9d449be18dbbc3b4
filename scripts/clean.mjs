/** Empties dist/ before a build, so that no module ships whose source is gone. */
import { rmSync } from 'node:fs'

rmSync(new URL('../dist', import.meta.url), { recursive: true, force: true })
