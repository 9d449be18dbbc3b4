/**
 * Forwards the output of child processes in whole lines. If the processes wrote to one pipe
 * directly, they could split each other's lines.
 */
import type { ChildProcess } from 'node:child_process'
import { Transform } from 'node:stream'

const NEW_LINE = 10

export function forwardLines({ stdout, stderr }: Pick<ChildProcess, 'stdout' | 'stderr'>): void {
  stdout?.pipe(createLineBuffer()).pipe(process.stdout, { end: false })
  stderr?.pipe(createLineBuffer()).pipe(process.stderr, { end: false })
}

export function createLineBuffer(): Transform {
  let remainder: Buffer = Buffer.alloc(0)
  return new Transform({
    transform(chunk: Buffer, _encoding, done) {
      const all = remainder.length === 0 ? chunk : Buffer.concat([remainder, chunk])
      const end = all.lastIndexOf(NEW_LINE) + 1
      remainder = all.subarray(end)
      done(null, end === 0 ? undefined : all.subarray(0, end))
    },
    flush(done) {
      done(null, remainder)
    },
  })
}
