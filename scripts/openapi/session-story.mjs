/** The part of a player's story that is about sessions: how they begin and end, and who the player is, opened by somebody (O-15). */
export function sessionSteps({ step, post, get, path, nobody: unknownPlayer }) {
  const tooLong = `/operator/players/${'a'.repeat(65)}`
  const begun = [
    step('startSession', 400, 'invalid', 'Too short a life', post(`${path}/sessions`, { ttlSeconds: 0 })),
    step('startSession', 404, 'unknown', 'Nobody has this id', post(`${unknownPlayer}/sessions`, {})),
    step('startSession', 409, 'notHers', 'Not one of her currencies', post(`${path}/sessions`, { currency: 'SEK' })),
    step('startSession', 201, 'session', 'For an hour', post(`${path}/sessions`, { ttlSeconds: 3600 })),
  ]

  const farewell = [
    step('switchCurrency', 400, 'invalid', 'No currency', post(`${path}/currency`, {})),
    step(
      'switchCurrency',
      404,
      'unknown',
      'Nobody has this id',
      post(`${unknownPlayer}/currency`, { currency: 'USD' }),
    ),
    step('switchCurrency', 409, 'notHers', 'Not one of her currencies', post(`${path}/currency`, { currency: 'SEK' })),
    step(
      'switchCurrency',
      200,
      'switched',
      'Her earlier tokens have ended',
      post(`${path}/currency`, { currency: 'USD' }),
    ),
    step('endSessions', 204, 'ended', 'All ended', () => ['DELETE', `${path}/sessions`]),
    step('endSessions', 400, 'tooLong', 'An id of 65 characters', () => ['DELETE', `${tooLong}/sessions`]),
    step('endSessions', 404, 'unknown', 'Nobody has this id', () => ['DELETE', `${unknownPlayer}/sessions`]),
    step('listSessions', 200, 'page', 'Ended by a switch of the currency, and by hand', get(`${path}/sessions`)),
    step('listSessions', 400, 'cursor', 'Not a cursor', get(`${path}/sessions?after=yesterday`)),
    step('listSessions', 404, 'unknown', 'Nobody has this id', get(`${unknownPlayer}/sessions`)),
    step('openPersonalData', 200, 'opened', 'It is kept that she was looked at', post(`${path}/personal-data`)),
    step('openPersonalData', 400, 'tooLong', 'An id of 65 characters', post(`${tooLong}/personal-data`)),
    step('openPersonalData', 404, 'unknown', 'Nobody has this id', post(`${unknownPlayer}/personal-data`)),
    step('listOpenings', 200, 'page', 'Who opened it', get(`${path}/personal-data`)),
    step('listOpenings', 400, 'cursor', 'Not a cursor', get(`${path}/personal-data?after=yesterday`)),
    step('listOpenings', 404, 'unknown', 'Nobody has this id', get(`${unknownPlayer}/personal-data`)),
  ]
  return { begun, farewell }
}
