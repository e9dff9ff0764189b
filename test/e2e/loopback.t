#!/usr/bin/env bash
# What programs do with sockets works in each language although netlink is refused: listening, connecting to loopback,
# and the look-up of localhost. What needs netlink fails with an error of the language, unless allowNetlink is set.
# shellcheck source=test/e2e/lib.sh disable=SC2016 # the programs are in single quotes
. "$(dirname "$0")/lib.sh"

# serves FILE PROGRAM: the program connects to itself and prints what it got.
serves() {
    printf '%s\n' "$2" >"$scratch/$1"
    run --memory 512 --timeout 60s "$scratch/$1"
    is "$status|$(field stdout)|$(field stderr)" "0|got ping|" "$1: a connection to itself"
}

test_case 'Python: sockets, and servers of asyncio and http' && {
    serves main.py 'import asyncio, http.server, socket, threading, urllib.request
server = socket.create_server(("localhost", 0))
threading.Thread(target=lambda: server.accept()[0].sendall(b"ping")).start()
with socket.create_connection(("localhost", server.getsockname()[1])) as client:
    assert client.recv(10) == b"ping"
assert socket.getaddrinfo("localhost", 80)
async def main():
    async def answer(reader, writer):
        writer.write(await reader.readline())
        writer.close()
    server = await asyncio.start_server(answer, "127.0.0.1", 0)
    reader, writer = await asyncio.open_connection("localhost", server.sockets[0].getsockname()[1])
    writer.write(b"ping\n")
    assert await reader.readline() == b"ping\n"
asyncio.run(main())
class Handler(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        self.send_response(200)
        self.end_headers()
        self.wfile.write(b"ping")
    def log_message(self, *args): pass
web = http.server.HTTPServer(("localhost", 0), Handler)
threading.Thread(target=web.handle_request).start()
print("got", urllib.request.urlopen("http://localhost:%d/" % web.server_port).read().decode())'
}

test_case 'JavaScript: http.createServer, net, dns' && {
    serves main.js 'const http = require("http"), dns = require("dns");
const server = http.createServer((request, response) => response.end("ping"));
server.listen(0, () => dns.lookup("localhost", (error) => {
    if (error) throw error;
    http.get({ host: "localhost", port: server.address().port, agent: false }, (response) => {
        response.on("data", (data) => console.log("got " + data));
        response.on("end", () => server.close());
    });
}));'
}

test_case 'Go: net/http' && {
    serves main.go 'package main
import ("fmt"; "io"; "net"; "net/http")
func main() {
    listener, err := net.Listen("tcp", "localhost:0")
    if err != nil { panic(err) }
    go http.Serve(listener, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { fmt.Fprint(w, "ping") }))
    if _, err := net.LookupHost("localhost"); err != nil { panic(err) }
    response, err := http.Get("http://" + listener.Addr().String())
    if err != nil { panic(err) }
    body, _ := io.ReadAll(response.Body)
    fmt.Println("got", string(body))
}'
}

test_case 'C, C++ and Rust' && {
    posix='#include <arpa/inet.h>
#include <netdb.h>
#include <stdio.h>
#include <sys/socket.h>
#include <unistd.h>
int main()
{
    struct addrinfo hints = {}, *found;
    struct sockaddr_in address = {};
    socklen_t size = sizeof address;
    char text[5] = "";
    int server = socket(AF_INET, SOCK_STREAM, 0), client = socket(AF_INET, SOCK_STREAM, 0);
    hints.ai_family = AF_INET;
    hints.ai_flags = AI_ADDRCONFIG;
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    if (getaddrinfo("localhost", NULL, &hints, &found) != 0 || bind(server, (struct sockaddr *)&address, size) != 0 ||
        listen(server, 1) != 0 || getsockname(server, (struct sockaddr *)&address, &size) != 0 ||
        connect(client, (struct sockaddr *)&address, size) != 0 || write(accept(server, NULL, NULL), "ping", 4) != 4 ||
        read(client, text, 4) != 4)
        return 1;
    printf("got %s\n", text);
}'
    serves main.c "$posix"
    serves main.cpp "$posix"
    serves main.rs 'use std::io::{Read, Write};
use std::net::{TcpListener, TcpStream, ToSocketAddrs};
fn main() {
    let server = TcpListener::bind("localhost:0").unwrap();
    assert!("localhost:80".to_socket_addrs().unwrap().count() > 0);
    let mut client = TcpStream::connect(server.local_addr().unwrap()).unwrap();
    server.accept().unwrap().0.write_all(b"ping").unwrap();
    let mut text = String::new();
    client.read_to_string(&mut text).unwrap();
    println!("got {}", text);
}'
}

test_case 'Java' && {
    serves Main.java 'import java.net.*;
public class Main {
    public static void main(String[] arguments) throws Exception {
        ServerSocket server = new ServerSocket(0, 1, InetAddress.getByName("localhost"));
        Socket client = new Socket("localhost", server.getLocalPort());
        Socket other = server.accept();
        other.getOutputStream().write("ping".getBytes());
        other.close();
        System.out.println("got " + new String(client.getInputStream().readAllBytes()));
    }
}'
}

test_case 'Ruby, PHP and Perl' && {
    serves main.rb 'require "socket"
server = TCPServer.new("localhost", 0)
client = TCPSocket.new("localhost", server.addr[1])
other = server.accept
other.write("ping")
other.close
puts "got " + client.read'
    serves main.php '<?php
$server = stream_socket_server("tcp://localhost:0");
$client = stream_socket_client("tcp://" . stream_socket_get_name($server, false));
$other = stream_socket_accept($server);
fwrite($other, "ping");
fclose($other);
echo "got ", fread($client, 10), "\n";'
    serves main.pl 'use IO::Socket::INET;
my $server = IO::Socket::INET->new(Listen => 1, LocalAddr => "localhost") or die $@;
my $client = IO::Socket::INET->new(PeerAddr => "localhost", PeerPort => $server->sockport) or die $@;
my $other = $server->accept;
print $other "ping";
close $other;
print "got ", <$client>, "\n";'
}

interfaces='import socket
try:
    print("interfaces", [name for _, name in socket.if_nameindex()])
except OSError as error:
    print("error", error.errno)'

test_case 'network interfaces are listed only with allowNetlink' && {
    code py "$interfaces"
    is "$status $(field stdout)" "0 error 97" "by default: EAFNOSUPPORT"
    sed '1s/{/{"allowNetlink": true, /' "$ISOLATOR_CONFIG" >"$scratch/netlink.json"
    code py "$interfaces" --config "$scratch/netlink.json"
    is "$status $(field stdout)" "0 interfaces ['lo']" "with allowNetlink"
    isolator selftest --config "$scratch/netlink.json" odd_sockets uncounted_sockets
    is "$status $(tail -n 1 <<<"$out")" "0 2 attacks: 2 held, 0 known gaps, 0 breaches, 0 unclear; 0 containers remain" "selftest knows it"
}

finish
