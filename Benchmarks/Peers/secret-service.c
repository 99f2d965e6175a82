// A client of whichever Secret Service is on the bus of the environment: operations through libsecret, and bare calls.
//
// Reads commands from standard input, a line each, and answers with a line of numbers, one for each run: microseconds,
// or kilobytes for "memory".
//
//     ITEMS RUNS OPERATION
//
// ITEMS says how many there are: service "service-N", account "account-N".
//
//     fill                        adds the next of them
//     get search add update delete
//                                 through libsecret. Everything that "add" has added, "delete" takes away again
//     ping                        the least that a call can cost: one that the service's library answers itself
//     bare-search                 SearchItems for one item, by both attributes
//     bare-get                    SearchItems, and GetSecret in a session without encryption
//     memory                      what the service has (PSS), which only it or root can see
//     encrypt                     gives gnome-keyring's default keyring a password
//
// Ends with 1 and a message where the service refuses anything, or answers wrongly.
#define SECRET_API_SUBJECT_TO_CHANGE // for the calls on the bus itself
#include <libsecret/secret.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <systemd/sd-bus.h>
#include <time.h>
#include <unistd.h>

static const SecretSchema schema = {
    "org.chatelaine.Benchmark",
    SECRET_SCHEMA_DONT_MATCH_NAME,
    {{"service", SECRET_SCHEMA_ATTRIBUTE_STRING}, {"account", SECRET_SCHEMA_ATTRIBUTE_STRING}, {NULL, 0}},
    0, 0, 0, 0, 0, 0, 0, 0,
};

static void stop(const char *what, GError *error) {
    fprintf(stderr, "secret-service: %s: %s\n", what, error ? error->message : "not what was expected");
    exit(1);
}

static double now(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return time.tv_sec * 1e6 + time.tv_nsec / 1e3;
}

static const char name[] = "org.freedesktop.secrets", root[] = "/org/freedesktop/secrets";

static sd_bus_message *bare_call(const char *path, const char *interface, const char *member, const char *types, ...) {
    static sd_bus *bus = NULL;
    if (bus == NULL && sd_bus_open_user(&bus) < 0) stop("bus", NULL);
    sd_bus_message *call = NULL, *reply = NULL;
    sd_bus_error error = SD_BUS_ERROR_NULL;
    va_list arguments;
    va_start(arguments, types);
    if (sd_bus_message_new_method_call(bus, &call, name, path, interface, member) < 0 ||
        sd_bus_message_appendv(call, types, arguments) < 0 || sd_bus_call(bus, call, 0, &error, &reply) < 0) {
        fprintf(stderr, "secret-service: %s: %s\n", member, error.message ? error.message : "no answer");
        exit(1);
    }
    va_end(arguments);
    sd_bus_message_unref(call);
    return reply;
}

static void ping(void) {
    sd_bus_message_unref(bare_call(root, "org.freedesktop.DBus.Peer", "Ping", ""));
}

// The first item that has both attributes, in a reply that the caller lets go of.
static sd_bus_message *bare_search(const char *service, const char *account, const char **path) {
    sd_bus_message *reply = bare_call(
        root, "org.freedesktop.Secret.Service", "SearchItems", "a{ss}", 2, "service", service, "account", account
    );
    if (sd_bus_message_enter_container(reply, 'a', "o") < 0 || sd_bus_message_read(reply, "o", path) <= 0)
        stop("SearchItems", NULL);
    return reply;
}

static void bare_get(const char *service, const char *account) {
    static char session[256] = "";
    const char *path, *text;
    if (session[0] == 0) {
        sd_bus_message *opened =
            bare_call(root, "org.freedesktop.Secret.Service", "OpenSession", "sv", "plain", "s", "");
        if (sd_bus_message_read(opened, "vo", "s", &text, &path) <= 0) stop("OpenSession", NULL);
        snprintf(session, sizeof session, "%s", path);
        sd_bus_message_unref(opened);
    }
    sd_bus_message *found = bare_search(service, account, &path);
    sd_bus_message *secret = bare_call(path, "org.freedesktop.Secret.Item", "GetSecret", "o", session);
    const void *value;
    size_t size;
    if (sd_bus_message_enter_container(secret, 'r', "oayays") < 0 || sd_bus_message_skip(secret, "oay") < 0 ||
        sd_bus_message_read_array(secret, 'y', &value, &size) < 0 || size < 7 || memcmp(value, "secret-", 7) != 0)
        stop("GetSecret", NULL);
    sd_bus_message_unref(secret);
    sd_bus_message_unref(found);
}

// In kilobytes; below zero where it cannot be seen.
static double memory(void) {
    GError *error = NULL;
    GDBusConnection *bus = g_bus_get_sync(G_BUS_TYPE_SESSION, NULL, &error);
    if (bus == NULL) stop("bus", error);
    GVariant *reply = g_dbus_connection_call_sync(
        bus, "org.freedesktop.DBus", "/", "org.freedesktop.DBus", "GetConnectionUnixProcessID",
        g_variant_new("(s)", name), NULL, G_DBUS_CALL_FLAGS_NONE, -1, NULL, &error
    );
    if (reply == NULL) stop("process", error);
    guint32 process;
    g_variant_get(reply, "(u)", &process);
    g_variant_unref(reply);
    g_object_unref(bus);
    char path[64], line[256];
    snprintf(path, sizeof path, "/proc/%u/smaps_rollup", process);
    FILE *file = fopen(path, "r");
    double kilobytes = -1;
    while (file && fgets(line, sizeof line, file)) sscanf(line, "Pss: %lf", &kilobytes);
    if (file) fclose(file);
    return kilobytes;
}

static long added = 0, filled = 0;

static void run(long items, const char *operation) {
    GError *error = NULL;
    char service[64], account[64];
    // What several clients add at the same time is each one's own.
    const long own = (long)getpid() * 100000000;
    long number = strcmp(operation, "add") == 0 ? own + added++
        : strcmp(operation, "delete") == 0      ? own + --added
        : strcmp(operation, "fill") == 0        ? filled++
                                                : rand() % items;
    snprintf(service, sizeof service, "service-%ld", number);
    snprintf(account, sizeof account, "account-%ld", number);
    if (strcmp(operation, "get") == 0) {
        char *value = secret_password_lookup_sync(&schema, NULL, &error, "service", service, "account", account, NULL);
        if (value == NULL) stop("lookup", error);
        secret_password_free(value);
    } else if (strcmp(operation, "search") == 0) {
        // All attributes of what has the service, and no secret.
        GHashTable *attributes = secret_attributes_build(&schema, "service", service, NULL);
        GList *found = secret_service_search_sync(NULL, &schema, attributes, SECRET_SEARCH_ALL, NULL, &error);
        if (g_list_length(found) != 1) stop("search", error);
        g_hash_table_unref(secret_item_get_attributes(found->data));
        g_list_free_full(found, g_object_unref);
        g_hash_table_unref(attributes);
    } else if (strcmp(operation, "ping") == 0) {
        ping();
    } else if (strcmp(operation, "bare-search") == 0) {
        const char *path;
        sd_bus_message_unref(bare_search(service, account, &path));
    } else if (strcmp(operation, "bare-get") == 0) {
        bare_get(service, account);
    } else if (strcmp(operation, "add") == 0 || strcmp(operation, "update") == 0 || strcmp(operation, "fill") == 0) {
        char value[64];
        snprintf(value, sizeof value, "secret-%d", rand());
        if (!secret_password_store_sync(
                &schema, SECRET_COLLECTION_DEFAULT, "a password", value, NULL, &error, "service", service, "account",
                account, NULL
            ))
            stop("store", error);
    } else if (strcmp(operation, "delete") == 0) {
        if (!secret_password_clear_sync(&schema, NULL, &error, "service", service, "account", account, NULL))
            stop("clear", error);
    } else {
        stop(operation, NULL);
    }
}

static void call(SecretService *service, const char *method, GVariant *parameters) {
    GError *error = NULL;
    char *full = g_strconcat("org.gnome.keyring.InternalUnsupportedGuiltRiddenInterface.", method, NULL);
    GVariant *reply = g_dbus_proxy_call_sync(
        G_DBUS_PROXY(service), full, parameters, G_DBUS_CALL_FLAGS_NONE, 300000, NULL, &error
    );
    if (reply == NULL) stop(method, error);
    g_variant_unref(reply);
    g_free(full);
}

// Gives the default keyring a password, which makes of a file that was written by hand the encrypted one that people
// have.
static void encrypt(void) {
    GError *error = NULL;
    SecretService *service = secret_service_get_sync(SECRET_SERVICE_OPEN_SESSION, NULL, &error);
    if (service == NULL) stop("service", error);
    char *path = secret_service_read_alias_dbus_path_sync(service, SECRET_COLLECTION_DEFAULT, NULL, &error);
    if (path == NULL) stop("default keyring", error);
    SecretValue *none = secret_value_new("", 0, "text/plain"), *password = secret_value_new("benchmark", -1, "text/plain");
    call(service, "ChangeWithMasterPassword", g_variant_new(
        "(o@(oayays)@(oayays))", path, secret_service_encode_dbus_secret(service, none),
        secret_service_encode_dbus_secret(service, password)
    ));
    call(service, "UnlockWithMasterPassword", g_variant_new(
        "(o@(oayays))", path, secret_service_encode_dbus_secret(service, password)
    ));
    secret_value_unref(none);
    secret_value_unref(password);
    g_free(path);
    g_object_unref(service);
}

int main(void) {
    srand((unsigned)getpid());
    char line[128], operation[32];
    while (fgets(line, sizeof line, stdin)) {
        long items, runs;
        if (sscanf(line, "%ld %ld %31s", &items, &runs, operation) != 3 || items < 1) stop("command", NULL);
        for (long i = 0; i < runs; i++) {
            double start = now(), kilobytes = 0;
            const int is_memory = strcmp(operation, "memory") == 0;
            if (is_memory) kilobytes = memory();
            else if (strcmp(operation, "encrypt") == 0) encrypt();
            else run(items, operation);
            printf("%s%.1f", i ? " " : "", is_memory ? kilobytes : now() - start);
        }
        printf("\n");
        fflush(stdout);
    }
    return 0;
}
