# a port that stays busy
# holds: a program can use every port, whatever the one before it did
# tests: 2
# gap: a connection that a program has closed keeps its port busy for a minute (TIME_WAIT)

"""The kernel remembers a connection of TCP for a minute after its end, and then no program can bind its port without
SO_REUSEADDR. All the processes have ended by then, and no unprivileged process can make the kernel forget it."""
import os
import socket

PORT = 5555
server = socket.socket()
try:
    server.bind(("127.0.0.1", PORT))
    server.listen()
except OSError as error:
    print("got through: port %d: %s" % (PORT, error))
else:
    client = socket.create_connection(("127.0.0.1", PORT))
    connection, _ = server.accept()
    connection.close()
    client.recv(1)
    client.close()
    if os.environ["TEST"] == "1":
        print("held: port %d can be used" % PORT)
