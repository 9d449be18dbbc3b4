/**
 * Compression of journal segments by brotli, with a small window and the fastest quality. The next
 * quality needs 900 KiB of new memory per segment, and touching new pages costs more than the
 * compression. The first byte names the format, because brotli has no signature.
 */
import { promisify } from 'node:util'
import { brotliCompressSync, brotliDecompress, constants } from 'node:zlib'

const { BROTLI_PARAM_QUALITY, BROTLI_PARAM_LGWIN } = constants
/** The chunk size has room for the whole result. */
const FAST = { params: { [BROTLI_PARAM_QUALITY]: 0, [BROTLI_PARAM_LGWIN]: 17 }, chunkSize: 64 * 1024 }
const BROTLI = Buffer.of(1)

const decompressBrotli = promisify<Buffer, Buffer>(brotliDecompress)

/** Synchronous: a full segment takes 0.5 ms, and another thread would cost the same again. */
export function compressSegment(bytes: Buffer): Buffer {
  return Buffer.concat([BROTLI, brotliCompressSync(bytes, FAST)])
}

/** Throws if the format is unknown. */
export async function decompressSegment(chunk: Uint8Array): Promise<Buffer> {
  const bytes = Buffer.from(chunk)
  if (bytes[0] !== BROTLI[0]) throw new Error(`a chunk of the journal has the unknown format ${bytes[0]}`)
  return decompressBrotli(bytes.subarray(BROTLI.length))
}
