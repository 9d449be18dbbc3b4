/**
 * Where a player's rows live. N buckets are fixed when the database is created; every hot statement and every batch
 * holds one bucket, so the same schema runs on Citus distributed by it.
 */
import { crc32 } from 'node:zlib'

/** Spread over buckets first and over lanes with what is left of the hash, so that the two are independent. */
export function bucketOf(key: string, buckets: number): number {
  return buckets === 1 ? 0 : crc32(key) % buckets
}

export function laneOf(key: string, buckets: number, lanesPerBucket: number): number {
  return lanesPerBucket === 1 ? 0 : Math.floor(crc32(key) / buckets) % lanesPerBucket
}
