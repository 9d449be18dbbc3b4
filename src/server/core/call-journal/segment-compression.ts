/**
 * Chunks of the journal are compressed by brotli with a small window at its fastest. One step slower needs 900 KiB of new memory for each
 * chunk, and to touch new pages costs more than the compressing. A byte in front names the format, because brotli has no mark of its own.
 */
import { promisify } from 'node:util'
import { brotliCompressSync, brotliDecompress, constants } from 'node:zlib'

const { BROTLI_PARAM_QUALITY, BROTLI_PARAM_LGWIN } = constants
/** With room for all of the result at once. */
const FAST = { params: { [BROTLI_PARAM_QUALITY]: 0, [BROTLI_PARAM_LGWIN]: 17 }, chunkSize: 64 * 1024 }
const BROTLI = Buffer.of(1)

const decompressBrotli = promisify<Buffer, Buffer>(brotliDecompress)

/** At once: half a millisecond for a full chunk. The journey to another thread and back costs as much again. */
export function compressSegment(bytes: Buffer): Buffer {
  return Buffer.concat([BROTLI, brotliCompressSync(bytes, FAST)])
}

/** Throws when that is no chunk. */
export async function decompressSegment(chunk: Uint8Array): Promise<Buffer> {
  const bytes = Buffer.from(chunk)
  if (bytes[0] !== BROTLI[0]) throw new Error(`a chunk of the journal has the unknown format ${bytes[0]}`)
  return decompressBrotli(bytes.subarray(BROTLI.length))
}
