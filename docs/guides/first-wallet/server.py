"""Serves wallet.py over HTTP, with a SQLite file that begins with the players of players.json."""
import json, os, sqlite3
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import wallet

PORT = int(os.environ.get("PORT", "3000"))
TABLES = """
CREATE TABLE players (user_id PRIMARY KEY, profile);
CREATE TABLE sessions (token PRIMARY KEY, user_id, currency, ended);
CREATE TABLE accounts (user_id, currency, balance, PRIMARY KEY (user_id, currency));
CREATE TABLE bets (id, user_id, state, stake, payout, currency, time, PRIMARY KEY (id, user_id));
CREATE TABLE results (request PRIMARY KEY);
"""
MESSAGES = {
    1: "Request signature is invalid",
    3: "Invalid token",
    4: "The token is out of date",
    5: "Request data is invalid",
    7: "Not enough money",
    8: "The bet has already been processed",
    20: "Recalculation transaction is blocked",
}


def connect():
    db = sqlite3.connect("wallet.db", isolation_level=None)  # each statement is a transaction
    db.row_factory = sqlite3.Row
    return db


def create_players(db):
    db.executescript(TABLES)
    with open("players.json") as file:
        content = json.load(file)
    for player in content["players"] + [content[name] for name in ("crypto", "described", "switched")]:
        create_player(db, {"currency": content["currency"], **player})


def create_player(db, player):
    user_id, currency = player["userId"], player["currency"]
    balance = wallet.money(wallet.read(player["balance"]), currency)
    fields = {"isTest": False, **player.get("profile", {})}
    profile = {"isTest": fields.pop("isTest"), "customFields": fields}
    db.execute("INSERT INTO players VALUES (?, ?)", [user_id, json.dumps(profile)])
    db.execute("INSERT INTO accounts VALUES (?, ?, ?)", [user_id, currency, balance])
    sessions = [(player["token"], currency, False)]
    if "expiredToken" in player:
        sessions.append((player["expiredToken"], currency, True))
    if "oldToken" in player:
        sessions.append((player["oldToken"], player["oldCurrency"], True))
    for token, currency, ended in sessions:
        db.execute("INSERT INTO sessions VALUES (?, ?, ?, ?)", [token, user_id, currency, ended])


def profile(db, call):
    session = wallet.session_of(db, call)
    user_id, currency = session["user_id"], session["currency"]
    player = db.execute("SELECT profile FROM players WHERE user_id = ?", [user_id]).fetchone()
    stored = json.loads(player["profile"])
    return {"userId": user_id, "currency": currency, "currencies": [currency], **stored}


def balance(db, call):
    user_id, currency = wallet.session_of(db, call)["user_id"], call["currency"]
    amount = wallet.shown(wallet.balance_of(db, user_id, currency), currency)
    return {"userId": user_id, "currency": currency, "amount": amount}


def check(db, call):
    bet = wallet.bet_of(db, call)
    if bet is None:
        raise wallet.Refused(5)
    operation, money = {
        "open": (1, bet["stake"]),
        "settled": (2, bet["payout"]),
        "cancelled": (3, bet["stake"]),
    }[bet["state"]]
    currency, amount = bet["currency"], wallet.shown(money, bet["currency"])
    last = {"currency": currency, "amount": amount, "type": operation}
    return {"transactionId": bet["id"], "transactionTime": bet["time"], **last}


READS = {"/user/profile": profile, "/user/balance": balance, "/payment/check": check}
INVALID = (ValueError, KeyError, TypeError, AttributeError)


def answer(db, method, path, signature, body):
    try:
        wallet.verify(signature, body)
    except INVALID:
        raise wallet.Refused(1)
    try:
        call = wallet.read(body)
        if path not in READS:
            return wallet.bet_call(db, method, call)
        if "type" in call:
            raise wallet.Refused(5)
        return READS[path](db, call)
    except INVALID:
        raise wallet.Refused(5)


class Handler(BaseHTTPRequestHandler):
    def handle_call(self):
        if self.path not in ["/payment/bet", *READS]:
            return self.send_error(404)
        body = self.rfile.read(int(self.headers.get("content-length", 0)))
        db = connect()
        try:
            signature = self.headers["x-sign-jws"]
            status, content = 200, answer(db, self.command, self.path, signature, body)
        except wallet.Refused as refused:
            [code] = refused.args
            status, content = 400, {"code": code, "message": MESSAGES[code]}
        finally:
            db.close()
        self.send_response(status)
        self.send_header("content-type", "application/json")
        self.end_headers()
        self.wfile.write(json.dumps(content).encode())

    do_POST = do_PUT = handle_call


if not os.path.exists("wallet.db"):
    create_players(connect())
server = ThreadingHTTPServer(("127.0.0.1", PORT), Handler)
print(f"The wallet listens on http://127.0.0.1:{server.server_port}", flush=True)
server.serve_forever()
