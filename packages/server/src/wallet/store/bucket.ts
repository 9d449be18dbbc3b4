/**
 * Buckets: the partitions of the players. Their number is fixed when the database is created. Every
 * hot statement concerns one bucket, so the same schema runs on Citus, distributed by bucket.
 */
import { crc32 } from 'node:zlib'

/** Buckets use the remainder of the hash and lanes its quotient, so the two are independent. */
export function bucketOf(key: string, buckets: number): number {
  return buckets === 1 ? 0 : crc32(key) % buckets
}

/**
 * A bucket belongs to one lane; if buckets are fewer than lanes, each bucket has an equal number of
 * lanes.
 */
export function countLanes(buckets: number, lanes: number): number {
  return buckets > lanes ? lanes : buckets * Math.floor(lanes / buckets)
}

/** `lanes` is a result of `countLanes`. */
export function chooseLane(key: string, buckets: number, lanes: number): number {
  if (lanes === 1) return 0
  const hash = crc32(key)
  return buckets >= lanes
    ? (hash % buckets) % lanes
    : (hash % buckets) + buckets * (Math.floor(hash / buckets) % (lanes / buckets))
}
