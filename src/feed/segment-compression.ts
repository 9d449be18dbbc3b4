/**
 * Chunks of the journal are compressed by brotli with a small window at its fastest. One step slower needs 900 KiB of new memory for each
 * chunk, and to touch new pages costs more than the compressing. A byte in front says so, because brotli has no mark of its own; chunks of
 * older versions are deflated.
 */
import { promisify } from 'node:util'
import { brotliCompressSync, brotliDecompress, constants, inflate } from 'node:zlib'

const { BROTLI_PARAM_QUALITY, BROTLI_PARAM_LGWIN } = constants
/** With room for all of the result at once. */
const FAST = { params: { [BROTLI_PARAM_QUALITY]: 0, [BROTLI_PARAM_LGWIN]: 17 }, chunkSize: 64 * 1024 }
/** None with which a deflated chunk begins. */
const BROTLI = Buffer.of(1)

const decompressBrotli = promisify<Buffer, Buffer>(brotliDecompress)
const inflateDeflate = promisify<Buffer, Buffer>(inflate)

/** At once: half a millisecond for a full chunk. The journey to another thread and back costs as much again. */
export function compressSegment(bytes: Buffer): Buffer {
  return Buffer.concat([BROTLI, brotliCompressSync(bytes, FAST)])
}

/** Throws when that is no chunk. */
export function decompressSegment(chunk: Uint8Array): Promise<Buffer> {
  const bytes = Buffer.from(chunk)
  return bytes[0] === BROTLI[0] ? decompressBrotli(bytes.subarray(BROTLI.length)) : inflateDeflate(bytes)
}
