/**
 * Where a player's rows live. N buckets are fixed when the database is created; every hot statement
 * names one bucket, so the same schema runs on Citus distributed by it.
 */
import { crc32 } from 'node:zlib'

/** Spread over buckets first and over the lanes of one with what is left of the hash, so that the two are independent. */
export function bucketOf(key: string, buckets: number): number {
  return buckets === 1 ? 0 : crc32(key) % buckets
}

/** Whole buckets lie in one lane; where there are fewer buckets than lanes, each has as many as fit. */
export function countLanes(buckets: number, lanes: number): number {
  return buckets > lanes ? lanes : buckets * Math.floor(lanes / buckets)
}

/** `lanes`: as `countLanes` says. */
export function chooseLane(key: string, buckets: number, lanes: number): number {
  if (lanes === 1) return 0
  const hash = crc32(key)
  return buckets >= lanes
    ? (hash % buckets) % lanes
    : (hash % buckets) + buckets * (Math.floor(hash / buckets) % (lanes / buckets))
}
