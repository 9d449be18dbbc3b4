"""The wallet of the guide, as it was written on the first day: it has ten faults."""
import base64, hmac, json, os
from datetime import datetime, timezone

SECRET = os.environ.get("SECRET", "s3cret")
CURRENCIES = ["EUR", "USD", "KWD", "BTC"]
RESULTS = ["won", "lost", "refund", "cashout"]


class Refused(Exception):
    """The answer is HTTP 400 with this code."""


def read(text):
    return json.loads(text)


def money(amount, currency):
    if type(amount) not in (int, float) or not 0 <= amount < 10**15 or currency not in CURRENCIES:
        raise Refused(5)
    return round(amount, 2)


def shown(balance, currency):
    return balance


def b64url(data):
    return base64.urlsafe_b64encode(data).rstrip(b"=")


def verify(header, body):
    protected, _, signature = header.encode().partition(b"..")
    jws = json.loads(base64.urlsafe_b64decode(protected + b"=="))
    text = json.dumps(json.loads(body), separators=(",", ":"), ensure_ascii=False)
    signed = protected + b"." + b64url(text.encode())
    expected = b64url(hmac.digest(SECRET.encode(), signed, "sha256"))
    if jws["alg"] != "HS256" or "crit" in jws or not hmac.compare_digest(signature, expected):
        raise ValueError("The signature is wrong")


def session_of(db, call):
    session = db.execute("SELECT * FROM sessions WHERE token = ?", [call["token"]]).fetchone()
    if session is None or session["user_id"] != call.get("userId", session["user_id"]):
        raise Refused(3)
    if session["ended"]:
        raise Refused(4)
    return session


def balance_of(db, user_id, currency):
    query = "SELECT balance FROM accounts WHERE user_id = ? AND currency = ?"
    account = db.execute(query, [user_id, currency]).fetchone()
    return account["balance"] if account else 0


def set_balance(db, user_id, currency, balance):
    db.execute("REPLACE INTO accounts VALUES (?, ?, ?)", [user_id, currency, balance])


def bet_of(db, call):
    key = [call["transactionId"], call["userId"]]
    return db.execute("SELECT * FROM bets WHERE id = ? AND user_id = ?", key).fetchone()


def set_bet(db, call, state, stake, payout, currency):
    time = datetime.now(timezone.utc).isoformat()
    row = [call["transactionId"], call["userId"], state, stake, payout, currency, time]
    db.execute("REPLACE INTO bets VALUES (?, ?, ?, ?, ?, ?, ?)", row)


def place(db, call):
    user_id, currency = call["userId"], call["currency"]
    stake = money(call["amount"], currency)
    if session_of(db, call)["currency"] != currency or stake == 0:
        raise Refused(5)
    balance = balance_of(db, user_id, currency)
    if balance < stake:
        raise Refused(7)
    set_bet(db, call, "open", stake, 0, currency)
    set_balance(db, user_id, currency, balance - stake)


def settle(db, call):
    bet, payout = bet_of(db, call), money(call["amount"], call["currency"])
    if bet is None or bet["currency"] != call["currency"] or call["resultType"] not in RESULTS:
        raise Refused(5)
    if call["resultType"] == "cashout":
        session_of(db, call)
    balance = balance_of(db, call["userId"], call["currency"])
    set_bet(db, call, "settled", bet["stake"], payout, bet["currency"])
    set_balance(db, call["userId"], call["currency"], balance + payout)


def unsettle(db, call):
    bet = bet_of(db, call)
    if bet is None or bet["state"] == "cancelled":
        raise Refused(20 if bet else 5)
    if bet["state"] == "open":
        return
    balance = balance_of(db, call["userId"], bet["currency"])
    set_bet(db, call, "open", bet["stake"], 0, bet["currency"])
    set_balance(db, call["userId"], bet["currency"], balance - bet["payout"])


def rollback(db, call):
    bet = bet_of(db, call)
    if bet and bet["state"] == "cancelled":
        return
    if bet and bet["state"] == "settled":
        raise Refused(8)
    stake = bet["stake"] if bet else money(call["amount"], call["currency"])
    balance = balance_of(db, call["userId"], call["currency"])
    if bet:
        set_bet(db, call, "cancelled", stake, 0, call["currency"])
    set_balance(db, call["userId"], call["currency"], balance + stake)


BETS = {("POST", 1): place, ("PUT", 1): unsettle, ("PUT", 2): settle, ("PUT", 3): rollback}


def bet_call(db, method, call):
    if len(call["transactionId"]) < 10 or len(call["requestId"]) < 10:
        raise Refused(5)
    BETS[method, call["type"]](db, call)
    bet = bet_of(db, call)
    time = bet["time"] if bet else datetime.now(timezone.utc).isoformat()
    return {"transactionId": call["transactionId"], "transactionTime": time}
