// Makes fetch() of Node.js use the proxy of the container. Versions before 22.21, and 23, ignore NODE_USE_ENV_PROXY. Later
// ones ask for a tunnel for http:// as well, which the proxy refuses, and do not tell its reason.
//
// Each process and worker of Node.js loads this before its program (NODE_OPTIONS, request/proxy_variables.c). It takes effect
// when fetch() is called for the first time, since loading undici, of which fetch() is made, takes many milliseconds. undici
// has no name in Node.js, so its class Agent is found by the dispatcher that it sets. A program's own dispatcher stays.
const { NODE_USE_ENV_PROXY, http_proxy: proxy, no_proxy: excluded = '' } = process.env;

if (NODE_USE_ENV_PROXY === '1' && proxy && globalThis.fetch) {
    // The one of the highest number is used. From 26 on, the other one is for packages of an older undici.
    const DISPATCHERS = [2, 1].map((number) => Symbol.for(`undici.globalDispatcher.${number}`));
    const direct = new Set(excluded.split(','));
    const bare = (hostname) => hostname.replace(/^\[|\]$/g, '');
    const isDirect = (hostname) => direct.has(bare(hostname));

    // A tunnel to HOST:PORT. The status line of a refusal has the reason.
    const openTunnel = (http, target) => new Promise((resolve, reject) => {
        http.request(proxy, { method: 'CONNECT', path: target, headers: { host: target }, agent: false })
            .on('connect', (response, socket) => {
                if (response.statusCode === 200) return resolve(socket);
                socket.destroy();
                reject(new Error(`the proxy refused ${target}: ${response.statusCode} ${response.statusMessage}`));
            })
            .on('error', reject)
            .end();
    });

    async function open({ hostname, protocol, port, servername }) {
        const [net, tls, http, { once }] = await Promise.all(['net', 'tls', 'http', 'events'].map((name) => import(`node:${name}`)));
        const isSecure = protocol === 'https:';
        const host = bare(hostname);
        const number = port || (isSecure ? 443 : 80);
        const { hostname: proxyHost, port: proxyPort } = new URL(proxy);
        let socket;
        if (isSecure && !isDirect(hostname)) {
            socket = await openTunnel(http, `${hostname}:${number}`);
        } else {
            socket = isDirect(hostname) ? net.connect(number, host) : net.connect(proxyPort, proxyHost);
            await once(socket, 'connect');
        }
        if (isSecure) {
            socket = tls.connect({ socket, host, servername: net.isIP(host) ? '' : servername || host, ALPNProtocols: ['http/1.1'] });
            await once(socket, 'secureConnect');
        }
        return socket.setNoDelay(true);
    }

    // The class of the dispatcher that Node.js has set: of the one that heeds the variables, a member has it.
    function findAgent(dispatcher) {
        const isEnvironments = dispatcher?.constructor.name === 'EnvHttpProxyAgent';
        const all = isEnvironments ? Object.getOwnPropertySymbols(dispatcher).map((name) => dispatcher[name]) : [dispatcher];
        return all.map((value) => value?.constructor).find((constructor) => constructor?.name === 'Agent');
    }

    // Without a tunnel, the proxy gets the whole URL in place of the path.
    function useProxy() {
        void globalThis.Response; // loads undici
        const dispatchers = DISPATCHERS.filter((name) => globalThis[name]);
        const current = globalThis[dispatchers[0]];
        const Agent = findAgent(current);
        if (!Agent) return;
        const agent = new Agent({ connect: (options, done) => { open(options).then((socket) => done(null, socket), (error) => done(error, null)); } });
        const dispatch = agent.dispatch.bind(agent);
        agent.dispatch = (options, handler) => {
            const { protocol, hostname, origin } = new URL(options.origin);
            const isAbsolute = protocol === 'http:' && !isDirect(hostname);
            return dispatch(isAbsolute ? { ...options, path: origin + options.path } : options, handler);
        };
        for (const name of dispatchers) if (globalThis[name] === current) globalThis[name] = agent;
    }

    const own = globalThis.fetch;
    let isReady = false;
    globalThis.fetch = function fetch(input, init = undefined) {
        if (!isReady) useProxy();
        isReady = true;
        return own(input, init);
    };
}
