/**
 * Transactions one behind the other on one connection. The statements of the next one are sent while the COMMIT of the
 * last one is on its way; the server takes them in order, so each transaction sees what those before it have left.
 */
import type pg from 'pg'
import type { Chain, Tx } from './db.ts'
import { type Connection, type Manner, runTransaction } from './transaction.ts'

/** A connection of the pool, for as long as there is work for it. */
interface Link {
  readonly connecting: Promise<Connection>
  connection?: Connection
  /** Transactions that have begun and are not over. */
  users: number
}

export function openChain(pool: pg.Pool, manner: Manner): Chain {
  let link: Link | undefined
  /** Resolves when the last transaction that was asked for has sent all that it will send. */
  let lastSent: Promise<void> = Promise.resolve()

  async function run<T>(work: (tx: Tx) => Promise<T>, onSent: () => void): Promise<T> {
    const mine = link === undefined || link.connection?.broken ? connect(pool) : link
    link = mine
    mine.users += 1
    try {
      return await runTransaction(await mine.connecting, manner, work, onSent)
    } finally {
      mine.users -= 1
      if (mine.users === 0) {
        mine.connection?.client.release(mine.connection.broken)
        if (link === mine) link = undefined
      }
    }
  }

  return {
    transaction(work, onSent) {
      const before = lastSent
      return new Promise((resolve) => {
        lastSent = new Promise((sent) => {
          const tell = () => {
            sent()
            onSent()
          }
          resolve(before.then(() => run(work, tell)).finally(tell))
        })
      })
    },
  }
}

function connect(pool: pg.Pool): Link {
  const connecting = pool.connect().then((client): Connection => ({ client }))
  const link: Link = { connecting, users: 0 }
  connecting.then(
    (connection) => {
      link.connection = connection
    },
    () => {}, // the caller that waits for the connection gets this error
  )
  return link
}
