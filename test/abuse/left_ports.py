# a port that stays busy
# holds: a program can use every port, whatever the one before it did
# tests: 2
# gvisor: this changes gVisor's kernel, which the container has for itself, and not the machine

"""The kernel remembers a connection of TCP for a minute after its end (TIME_WAIT), and then no program can bind its port
without SO_REUSEADDR. No unprivileged process can make it forget that, so the container is set not to remember."""
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
