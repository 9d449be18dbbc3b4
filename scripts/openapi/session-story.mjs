/**
 * Example calls about sessions for the wallet's API reference: start, end, and personal data that a
 * user opens (O-15).
 */
export function sessionSteps({ step, post, get, path, nobody: unknownPlayer }) {
  const tooLong = `/operator/players/${'a'.repeat(65)}`
  const begun = [
    step('startSession', 400, 'invalid', 'A lifetime that is too short', post(`${path}/sessions`, { ttlSeconds: 0 })),
    step('startSession', 404, 'unknown', 'No player has this id', post(`${unknownPlayer}/sessions`, {})),
    step(
      'startSession',
      409,
      'notHers',
      'A currency that the player does not have',
      post(`${path}/sessions`, { currency: 'SEK' }),
    ),
    step('startSession', 201, 'session', 'A session of one hour', post(`${path}/sessions`, { ttlSeconds: 3600 })),
  ]

  const farewell = [
    step('switchCurrency', 400, 'invalid', 'An invalid currency', post(`${path}/currency`, {})),
    step(
      'switchCurrency',
      404,
      'unknown',
      'No player has this id',
      post(`${unknownPlayer}/currency`, { currency: 'USD' }),
    ),
    step(
      'switchCurrency',
      409,
      'notHers',
      'A currency that the player does not have',
      post(`${path}/currency`, { currency: 'SEK' }),
    ),
    step(
      'switchCurrency',
      200,
      'switched',
      'The earlier tokens are out of date',
      post(`${path}/currency`, { currency: 'USD' }),
    ),
    step('endSessions', 204, 'ended', 'All ended', () => ['DELETE', `${path}/sessions`]),
    step('endSessions', 400, 'tooLong', 'An id of 65 characters', () => ['DELETE', `${tooLong}/sessions`]),
    step('endSessions', 404, 'unknown', 'No player has this id', () => ['DELETE', `${unknownPlayer}/sessions`]),
    step('listSessions', 200, 'page', 'Ended by a currency switch, and by hand', get(`${path}/sessions`)),
    step('listSessions', 400, 'cursor', 'An invalid cursor', get(`${path}/sessions?after=yesterday`)),
    step('listSessions', 404, 'unknown', 'No player has this id', get(`${unknownPlayer}/sessions`)),
    step('openPersonalData', 200, 'opened', 'The access is logged', post(`${path}/personal-data`)),
    step('openPersonalData', 400, 'tooLong', 'An id of 65 characters', post(`${tooLong}/personal-data`)),
    step('openPersonalData', 404, 'unknown', 'No player has this id', post(`${unknownPlayer}/personal-data`)),
    step('listOpenings', 200, 'page', 'The logged accesses', get(`${path}/personal-data`)),
    step('listOpenings', 400, 'cursor', 'An invalid cursor', get(`${path}/personal-data?after=yesterday`)),
    step('listOpenings', 404, 'unknown', 'No player has this id', get(`${unknownPlayer}/personal-data`)),
  ]
  return { begun, farewell }
}
